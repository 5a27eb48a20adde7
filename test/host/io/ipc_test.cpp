// Arrow IPC: where a batch's bytes lie, how much of a file is read, and files with damaged later
// batches.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "host/io/io_files.hpp"

namespace penstock {
namespace {

using namespace test;

// Memory that knows each of its blocks while the block is held.
class Lent : public std::enable_shared_from_this<Lent> {
 public:
  std::shared_ptr<std::byte> take(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    auto* data = new (std::align_val_t{64}) std::byte[bytes];
    blocks_[data] = bytes;
    taken_++;
    return {data, [self = shared_from_this()](std::byte* block) {
              const std::lock_guard given(self->mutex_);
              self->blocks_.erase(block);
              ::operator delete[](block, std::align_val_t{64});
            }};
  }
  bool holds(const Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(bytes.data);
    if (after == blocks_.begin()) return false;
    --after;
    return bytes.data + bytes.size <= after->first + after->second;
  }
  std::size_t held() {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
  }
  std::size_t taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::uint64_t> blocks_;
  std::size_t taken_ = 0;
};

constexpr std::uint64_t batch_rows = 1 << 16;
// Batches of 2^16 rows: `n` counts all rows, `x` is its half, `s` a text and `d` a dictionary's if
// asked for.
bool write_batches(const std::string& path, const char* form, int count, bool texts) {
  std::string columns =
      "'n': pa.array(range(k * r, k * r + r), pa.int32()), 'x': pa.array([i / 2 for i in range(k * "
      "r, k * r + r)], "
      "pa.float32())";
  if (texts)
    columns +=
        ", 's': ['t%d' % (i % 1000) for i in range(r)], 'd': pa.array(['e%d' % (i % 10) for i in "
        "range(r)])"
        ".dictionary_encode()";
  return by_pyarrow(path, "r = " + std::to_string(batch_rows) + "\nb = [pa.record_batch({" +
                              columns + "}) for k in range(" + std::to_string(count) +
                              ")]\nwith ipc.new_" + form +
                              "(path, b[0].schema) as w:\n  for t in b: w.write_batch(t)\n");
}

class ArrowIpcMemory : public testing::TestWithParam<const char*> {};

TEST_P(ArrowIpcMemory, ColumnsAndTheirSlicesLieWhereTheScanAskedFor) {
  const Folder folder;
  if (!write_batches(folder / "t", GetParam(), 6, false)) GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto lent = std::make_shared<Lent>();
  const std::uint32_t both[] = {0, 1}, second[] = {1};
  for (const std::span<const std::uint32_t> columns :
       {std::span<const std::uint32_t>(both), std::span<const std::uint32_t>(second)}) {
    auto stream = (*source)->scan(
        columns, {batch_rows / 4, 2, [lent](std::uint64_t bytes) { return lent->take(bytes); }});
    ASSERT_TRUE(stream.ok()) << stream.status().text();
    std::uint64_t rows = 0;
    for (;;) {
      const auto batch = (*stream)->next();
      ASSERT_TRUE(batch.ok()) << batch.status().text();
      if (!batch.value()) break;
      EXPECT_EQ(batch.value()->row_count, batch_rows / 4);
      for (const Column& column : batch.value()->columns) EXPECT_TRUE(lent->holds(column.values));
      EXPECT_EQ(batch.value()->columns.back().values.as<float>()[5],
                static_cast<float>(rows + 5) / 2);
      rows += batch.value()->row_count;
    }
    EXPECT_EQ(rows, 6 * batch_rows);
  }
}

TEST_P(ArrowIpcMemory, IsUsedAgainAndGivenBackWithTheLastTable) {
  const Folder folder;
  if (!write_batches(folder / "t", GetParam(), 40, false)) GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  const auto lent = std::make_shared<Lent>();
  std::optional<Table> last;
  {
    const std::uint32_t first[] = {0};
    auto stream = (*source)->scan(
        first, {batch_rows, 2, [lent](std::uint64_t bytes) { return lent->take(bytes); }});
    ASSERT_TRUE(stream.ok()) << stream.status().text();
    for (int batch = 0; batch < 40; batch++) {
      auto table = (*stream)->next();
      ASSERT_TRUE(table.ok() && table.value());
      last = std::move(*table.value());
    }
  }
  EXPECT_LT(lent->taken(), 20u);
  EXPECT_TRUE(lent->holds(last->columns[0].values));
  EXPECT_EQ(last->columns[0].values.as<std::int32_t>()[1],
            static_cast<std::int32_t>(39 * batch_rows + 1));
  last.reset();
  // A thread of Arrow's that has just read a batch may let go of it a moment after the readers that
  // wait for it.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (lent->held() > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(lent->held(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Forms, ArrowIpcMemory, testing::Values("file", "stream"));

TEST(ArrowIpc, BatchesOfAFileStayInOrder) {
  const Folder folder;
  if (!write_batches(folder / "t", "file", 40, false)) GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_EQ((*source)->row_count(), 40 * batch_rows);
  auto stream = (*source)->scan(std::vector<std::uint32_t>{0}, {batch_rows, 0});
  ASSERT_TRUE(stream.ok());
  std::int32_t row = 0;
  for (;;) {
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok()) << batch.status().text();
    if (!batch.value()) break;
    for (std::uint64_t i = 0; i < batch.value()->row_count; i++)
      ASSERT_EQ(batch.value()->columns[0].values.as<std::int32_t>()[i], row++);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(row), 40 * batch_rows);
}

TEST(ArrowIpc, AColumnAloneIsReadBesideTextsAndDictionaries) {
  const Folder folder;
  if (!write_batches(folder / "t", "file", 3, true)) GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  for (std::uint32_t column = 0; column < 4; column++) {
    const auto cells = read_cells(**source, std::vector<std::uint32_t>{column}, {1000, 2});
    ASSERT_TRUE(cells.ok()) << cells.status().text();
    ASSERT_EQ(cells.value()[0].size(), 3 * batch_rows);
    const char* const expected[] = {"131077", "65538.500000", "\"t5\"", "\"e5\""};
    EXPECT_EQ(cells.value()[0][2 * batch_rows + 5], expected[column]);
  }
}

TEST(ArrowIpc, RowsAreReadBesideADictionaryWithinAColumnThatIsNot) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "d = pa.array(['a', 'b', 'a']).dictionary_encode()\nb = pa.record_batch({'p': "
                  "pa.StructArray.from_arrays([d], ['d']), "
                  "'n': [1, 2, 3]})\nwith ipc.new_file(path, b.schema) as w:\n  w.write_batch(b)\n "
                  " w.write_batch(b)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto cells = read_cells(**source, std::vector<std::uint32_t>{1});
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  EXPECT_EQ(cells.value()[0], (std::vector<std::string>{"1", "2", "3", "1", "2", "3"}));
  auto stream = (*source)->scan({}, {});  // counts rows by the first column
  ASSERT_TRUE(stream.ok()) << stream.status().text();
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value()) << batch.status().text();
  EXPECT_EQ(batch.value()->row_count, 6u);
}

TEST(ArrowIpc, CompressedBatchesAndLargeTextsAreRead) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "b = [pa.record_batch({'n': pa.array(range(k, k + 70000), pa.int64()), 's': "
                  "pa.array(['x%d' % k] * 70000, "
                  "pa.large_string())}) for k in range(3)]\n"
                  "with ipc.new_file(path, b[0].schema, "
                  "options=ipc.IpcWriteOptions(compression='lz4')) as w:\n"
                  "  for t in b: w.write_batch(t)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto cells = read_cells(**source, std::vector<std::uint32_t>{1, 0}, {1000, 2});
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  ASSERT_EQ(cells.value()[0].size(), 210'000u);
  EXPECT_EQ(cells.value()[0].back(), "\"x2\"");
  EXPECT_EQ(cells.value()[1].back(), "70001");
}

// The bytes that this process has read from files.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string word;
  std::uint64_t bytes = 0;
  file >> word >> bytes;
  return bytes;
}

TEST(ArrowIpc, RowsAreCountedWithoutReadingThem) {
  const Folder folder;
  if (!write_batches(folder / "t", "file", 20, false)) GTEST_SKIP() << "no pyarrow";
  if (bytes_read() == 0) GTEST_SKIP() << "the system does not count what is read";
  const std::uint64_t before = bytes_read();
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->row_count(), 20 * batch_rows);
  EXPECT_LT(bytes_read() - before, 100'000u);
}

TEST(ArrowIpc, ADamagedBatchIsReportedBehindTheBatchesBeforeIt) {
  const Folder folder;
  if (!write_batches(folder / "t", "file", 5, true)) GTEST_SKIP() << "no pyarrow";
  std::string bytes = read_file(folder / "t");
  using namespace std::string_literals;
  const std::size_t fourth = bytes.find("\0\0\3\0\1\0\3\0"s);  // `n` from 3 * 2^16
  const std::size_t text = bytes.find("t0t1t2", fourth);
  ASSERT_NE(text, std::string::npos);
  bytes[text + 1] = '\xff';
  write_file(folder / "t", bytes);
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  auto stream = (*source)->scan(std::vector<std::uint32_t>{0, 2}, {batch_rows, 2});
  ASSERT_TRUE(stream.ok());
  std::uint64_t whole = 0;
  for (;; whole++) {
    const auto batch = (*stream)->next();
    if (!batch.ok()) {
      EXPECT_EQ(batch.status().code(), Code::corrupt) << batch.status().text();
      EXPECT_NE(batch.status().text().find(folder / "t"), std::string::npos);
      EXPECT_NE(batch.status().text().find("in column 's'"), std::string::npos)
          << batch.status().text();
      EXPECT_EQ(batch.status().text().find("In column "), std::string::npos)
          << "a number among those read: " << batch.status().text();
      break;
    }
    ASSERT_TRUE(batch.value()) << "the damage was not seen";
  }
  EXPECT_EQ(whole, 3u);
}

void write_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

Status read_all(const std::string& path, std::span<const std::uint32_t> columns) {
  PENSTOCK_ASSIGN(const auto source, open_table(path));
  PENSTOCK_ASSIGN(const auto stream, source->scan(columns, {10'000, 2}));
  for (;;) {
    PENSTOCK_ASSIGN(const auto batch, stream->next());
    if (!batch) return {};
  }
}

// Small batches and large ones are read in different ways.
TEST(ArrowIpc, FlippedBitsOfDescriptionsNeverCrashAScanOfSomeColumns) {
  const Folder folder;
  std::mt19937_64 random(20260102);
  for (const int rows : {70, 40'000}) {
    if (!by_pyarrow(folder / "t",
                    "r = " + std::to_string(rows) +
                        "\nb = [pa.record_batch({'n': pa.array(range(r), pa.int64()), 's': "
                        "['t%d' % i for i in range(r)], 'm': [None, k] * (r // 2), 'd': "
                        "pa.array(['a', 'b'] * (r // 2))"
                        ".dictionary_encode()}) for k in range(3)]\nwith ipc.new_file(path, "
                        "b[0].schema) as w:\n"
                        "  for t in b: w.write_batch(t)\n"))
      GTEST_SKIP() << "no pyarrow";
    const std::string whole = read_file(folder / "t");
    std::vector<std::size_t> messages;
    for (std::size_t at = 0; (at = whole.find("\xff\xff\xff\xff", at)) != std::string::npos;
         at += 4)
      messages.push_back(at);
    int refused = 0;
    for (int i = 0; i < 600; i++) {
      std::size_t at = i % 2 == 0 ? messages[random() % messages.size()] + random() % 500
                                  : whole.size() - 1 - random() % 1200;
      at = std::min(at, whole.size() - 1);
      write_byte(folder / "t", at, static_cast<char>(whole[at] ^ (1 << random() % 8)));
      const Status status = read_all(folder / "t", i % 3 == 0 ? std::vector<std::uint32_t>{3, 1}
                                                              : std::vector<std::uint32_t>{0, 2});
      write_byte(folder / "t", at, whole[at]);
      refused += !status.ok();
      if (!status.ok()) {
        EXPECT_NE(status.text().find(folder / "t"), std::string::npos) << status.text();
        EXPECT_NE(status.code(), Code::internal) << status.text();
      }
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(refused, 600);
    EXPECT_TRUE(read_all(folder / "t", std::vector<std::uint32_t>{0, 1, 2, 3}).ok());
  }
}

TEST(ArrowIpc, ALargeBatchReadInPartsIsWhole) {
  const Folder folder;
  constexpr std::int32_t rows = (3 << 18) + 77;
  if (!by_pyarrow(folder / "t", "b = pa.record_batch({'n': pa.array(range(" + std::to_string(rows) +
                                    "), pa.int32())})\n"
                                    "with ipc.new_file(path, b.schema) as w: w.write_batch(b)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  const auto lent = std::make_shared<Lent>();
  for (const bool is_lent : {false, true}) {
    ScanOptions options{1 << 20, 3};
    if (is_lent) options.memory = [lent](std::uint64_t bytes) { return lent->take(bytes); };
    auto stream = (*source)->scan(std::vector<std::uint32_t>{0}, options);
    ASSERT_TRUE(stream.ok());
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok() && batch.value());
    const auto* values = batch.value()->columns[0].values.as<std::int32_t>();
    ASSERT_EQ(batch.value()->row_count, static_cast<std::uint64_t>(rows));
    for (std::int32_t row = 0; row < rows; row++) ASSERT_EQ(values[row], row);
  }
}

TEST(ArrowIpc, AFileCutShortAfterItWasOpenedIsAnError) {
  const Folder folder;
  if (!write_batches(folder / "t", "file", 6, false)) GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  auto stream = (*source)->scan(std::vector<std::uint32_t>{0, 1}, {batch_rows, 1});
  ASSERT_TRUE(stream.ok());
  std::filesystem::resize_file(folder / "t", 3 * batch_rows);
  Status status;
  for (int batch = 0; batch < 8 && status.ok(); batch++) status = (*stream)->next().status();
  EXPECT_FALSE(status.ok() || status.code() == Code::internal) << status.text();
  EXPECT_FALSE((*source)->scan(std::vector<std::uint32_t>{0}, {}).ok());
}

}  // namespace
}  // namespace penstock
