// Files that are read into a device's memory through a ring of pinned memory.
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <random>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/selected_pages.hpp"
#include "device/staged_file.hpp"
#include "exec/scan/direct_pages.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "on_device/io/direct_source.hpp"
#include "penstock/session_device.hpp"

namespace penstock::test {
namespace {

using device::FileRange;
using device::StagedFile;

std::string write_random(const std::string& path, std::uint64_t bytes) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> words((bytes + 7) / 8);
  for (std::uint64_t& word : words) word = random();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(bytes));
  return path;
}

std::shared_ptr<Device> own_memory(Device& found) {
  return std::make_shared<OwnMemoryDevice>(*open_device(found.traits().id));
}

// More pieces than the ring has, of sizes around its pieces', which are 4 MiB.
std::vector<FileRange> ranges_of(std::uint64_t file_bytes) {
  std::mt19937_64 random(11);
  std::vector<FileRange> ranges;
  std::uint64_t to = 0;
  for (const std::uint64_t bytes :
       {std::uint64_t{9} << 20, (std::uint64_t{4} << 20) + 1, std::uint64_t{4} << 20}) {
    ranges.push_back({random() % (file_bytes - bytes), bytes, to});
    to += bytes;
  }
  for (int i = 0; i < 100; i++) {
    const std::uint64_t bytes = 1 + random() % 3000;
    ranges.push_back({random() % (file_bytes - bytes), bytes, to});
    to += bytes;
  }
  return ranges;
}

std::string wanted_bytes(const std::string& file, const std::vector<FileRange>& ranges) {
  std::string wanted;
  for (const FileRange& range : ranges) wanted += file.substr(range.file_offset, range.bytes);
  return wanted;
}

Result<std::string> downloaded(Queue& queue, const Buffer& from, std::uint64_t bytes) {
  std::string found(bytes, '\0');
  PENSTOCK_TRY(queue.download(found.data(), from, bytes));
  PENSTOCK_TRY(queue.finish());
  return found;
}

TEST(StagedReads, BringEveryRangeToItsPlace) {
  const Folder folder;
  const std::string path = write_random(folder / "bytes", 20 << 20), file = read_file(path);
  const std::vector<FileRange> ranges = ranges_of(file.size());
  const std::string wanted = wanted_bytes(file, ranges);
  on_each_device([&](Device& found) {
    const auto device = own_memory(found);
    TAKE(const auto staged, StagedFile::open(device, path, path, 5));
    TAKE(const std::shared_ptr<Buffer> buffer, device->allocate(wanted.size()));
    TAKE(const auto queue, device->queue());
    ASSERT_OK(staged->read(*queue, *buffer, ranges));
    TAKE(const std::string at_once, downloaded(*queue, *buffer, wanted.size()));
    EXPECT_TRUE(at_once == wanted);
    ASSERT_OK(queue->fill(*buffer, 0, wanted.size() / 4 * 4));
    TAKE(const auto reads, staged->begin(*queue, buffer, ranges));
    ASSERT_OK(reads->wait_on(*queue));
    EXPECT_TRUE(reads->has_ended());
    TAKE(const std::string later, downloaded(*queue, *buffer, wanted.size()));
    EXPECT_TRUE(later == wanted);
  });
}

TEST(StagedReads, ThatAreDroppedWriteNothingLater) {
  const Folder folder;
  const std::string path = write_random(folder / "bytes", 20 << 20), file = read_file(path);
  const std::vector<FileRange> ranges = ranges_of(file.size());
  on_each_device([&](Device& found) {
    const auto device = own_memory(found);
    TAKE(const auto staged, StagedFile::open(device, path, path, 3));
    TAKE(const auto queue, device->queue());
    const std::uint64_t bytes = wanted_bytes(file, ranges).size();
    for (int i = 0; i < 5; i++) {
      TAKE(const std::shared_ptr<Buffer> buffer, device->allocate(bytes));
      TAKE(auto dropped, staged->begin(*queue, buffer, ranges));
      dropped.reset();
      TAKE(const auto kept, staged->begin(*queue, buffer, ranges));
      ASSERT_OK(kept->wait_on(*queue));
      TAKE(const std::string read, downloaded(*queue, *buffer, bytes));
      EXPECT_TRUE(read == wanted_bytes(file, ranges));
    }
  });
}

TEST(StagedReads, PastTheEndsOfFileAndBufferAreErrors) {
  const Folder folder;
  const std::string path = write_random(folder / "bytes", 10'000);
  on_each_device([&](Device& found) {
    const auto device = own_memory(found);
    EXPECT_EQ(StagedFile::open(device, folder / "absent", "absent", 2).status().code(), Code::io);
    TAKE(const auto staged, StagedFile::open(device, path, path, 2));
    TAKE(const auto queue, device->queue());
    TAKE(const std::shared_ptr<Buffer> buffer, device->allocate(4096));
    EXPECT_EQ(staged->read(*queue, *buffer, {{{9'000, 1'001, 0}}}).code(), Code::truncated);
    EXPECT_EQ(staged->read(*queue, *buffer, {{{0, 4096, 1}}}).code(), Code::invalid);
    EXPECT_EQ(staged->begin(*queue, buffer, {{0, 1, 4096}}).status().code(), Code::invalid);
    TAKE(const auto reads, staged->begin(*queue, buffer, {{0, 10, 0}, {20'000, 10, 10}}));
    EXPECT_EQ(reads->wait_on(*queue).code(), Code::truncated);
    ASSERT_OK(staged->read(*queue, *buffer, {{{9'000, 1'000, 7}}}));
  });
}

class OwnMemorySession final : public SessionDevice {
 public:
  explicit OwnMemorySession(std::shared_ptr<Device> device) : device_(std::move(device)) {
    cache_.set_limit(0);
  }
  Result<std::shared_ptr<Device>> device() override { return device_; }
  bool is_open() const override { return true; }

 private:
  std::shared_ptr<Device> device_;
};

TEST(StagedReads, OfPagesGiveTheAnswersOfWholeChunks) {
  const Folder folder;
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY}) {
    const std::string path = write_words(folder / "t.parquet", codec);
    const auto source = *open_table(path);
    on_each_device([&](Device& found) {
      const auto device = own_memory(found);
      TAKE(const auto staged, StagedFile::open(device, path, path, 3));
      const auto direct = std::make_shared<DirectSource>(source, staged);
      for (const char* statement : direct_statements)
        for (const std::uint64_t batch_rows : {0, 4000}) {
          RunReport report;
          RunOptions options{.batch_rows = batch_rows};
          options.session = std::make_shared<OwnMemorySession>(device);
          const auto expected = answer_of(statement, source, options);
          const auto answer = answer_of(statement, direct, options, &report);
          ASSERT_TRUE(expected.ok() && answer.ok()) << answer.status().text();
          EXPECT_EQ(*answer, *expected) << statement;
          EXPECT_EQ(report.bytes_read_directly, 0u);
          EXPECT_GT(report.bytes_uploaded, 1000u) << statement;
        }
    });
  }
}

TEST(StagedReads, OfAFileThatWasShortenedAreAnErrorOfTheQuery) {
  const Folder folder;
  const std::string path = write_words(folder / "t.parquet", parquet::Compression::UNCOMPRESSED);
  const auto source = *open_table(path);
  const std::uint64_t bytes = std::filesystem::file_size(path);
  on_each_device([&](Device& found) {
    const auto device = own_memory(found);
    // Headers are read by the whole file's name, pages by that of the short one.
    const std::string shortened = folder / "short";
    std::filesystem::copy_file(path, shortened, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(shortened, bytes / 2);
    TAKE(const auto staged, StagedFile::open(device, shortened, shortened, 2));
    const auto direct = std::make_shared<DirectSource>(source, staged);
    RunOptions options{.batch_rows = 4000};
    options.session = std::make_shared<OwnMemorySession>(device);
    const Status status = answer_of(direct_statements[0], direct, options).status();
    EXPECT_EQ(status.code(), Code::truncated) << status.text();
  });
}

std::string write_numbers(const std::string& path, std::uint64_t rows, std::int64_t page_bytes,
                          bool has_checksums, std::int64_t first = 0) {
  arrow::Int64Builder numbers;
  for (std::uint64_t row = 0; row < rows; row++)
    EXPECT_TRUE(numbers.Append(first + static_cast<std::int64_t>(row)).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                                        {numbers.Finish().ValueOrDie()});
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(page_bytes)->disable_dictionary();
  if (has_checksums) properties.enable_page_checksum();
  EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(),
                                         arrow::io::FileOutputStream::Open(path).ValueOrDie(),
                                         static_cast<std::int64_t>(rows), properties.build())
                  .ok());
  return path;
}

plan::PagesToRead all_pages(const pages::PagedTable& table,
                            const std::vector<std::uint32_t>& columns,
                            std::vector<pages::RowGroupBatch>& chunks) {
  chunks = pages::plan_batches(table, columns, pages::all_groups(table), {});
  return {table, columns, chunks};
}

TEST(StagedReads, AreOfManyPlainBytesOnDevicesWithMemoryOfTheirOwn) {
  const Folder folder;
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY}) {
    const auto source = *open_table(write_words(folder / "t.parquet", codec));
    const std::vector<std::uint32_t> columns = {0, 1};
    std::vector<pages::RowGroupBatch> chunks;
    const auto read = all_pages(*source->pages(), columns, chunks);
    on_each_device([&](Device& found) {
      const auto device = own_memory(found);
      const bool is_plain = codec == parquet::Compression::UNCOMPRESSED;
      EXPECT_EQ(plan::may_be_staged(*device, read, 1000), is_plain);
      EXPECT_FALSE(plan::may_be_staged(*device, read));  // too few
      if (found.traits().unified_memory) { EXPECT_FALSE(plan::may_be_staged(found, read, 1000)); }
    });
  }
}

// As where a file is written anew while a program holds the old one.
TEST(StagedReads, AreOfTheFileThatIsOpenThoughItWasReplacedOrRemoved) {
  const Folder folder;
  const std::string path = folder / "t.parquet";
  constexpr std::uint64_t rows = std::uint64_t{1} << 19;
  write_numbers(path, rows, 1 << 20, false);
  const auto source = *open_table(path);
  const std::vector<std::uint32_t> columns = {0};
  std::vector<pages::RowGroupBatch> chunks;
  const auto read = all_pages(*source->pages(), columns, chunks);
  write_numbers(folder / "other", rows, 1 << 20, false, 1'000'000'000);
  std::filesystem::rename(folder / "other", path);
  for (const bool is_removed : {false, true}) {
    if (is_removed) std::filesystem::remove(path);
    on_each_device([&](Device& found) {
      const auto device = own_memory(found);
      EXPECT_TRUE(plan::may_be_staged(*device, read, 1000));
      TAKE(const auto staged, plan::staged_pages(device, read, 2));
      ASSERT_NE(staged, nullptr);
      RunOptions options;
      options.session = std::make_shared<OwnMemorySession>(device);
      const auto answer = answer_of("SELECT min(n), max(n) FROM 't'",
                                    std::make_shared<DirectSource>(source, staged), options);
      ASSERT_TRUE(answer.ok()) << answer.status().text();
      EXPECT_EQ(*answer, "0\n" + std::to_string(rows - 1) + "\n");
    });
  }
}

// Its uploads fail, by an error or an exception, from one on.
class FailingQueue final : public ForwardingQueue {
 public:
  FailingQueue(std::unique_ptr<Queue> queue, std::atomic<int>& left, bool throws)
      : ForwardingQueue(std::move(queue)), left_(left), throws_(throws) {}
  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    if (left_-- > 0) return ForwardingQueue::upload(to, from, bytes, to_offset);
    if (throws_) throw std::bad_alloc();
    return {Code::device_lost, "the upload fails"};
  }

 private:
  std::atomic<int>& left_;
  const bool throws_;
};
class FailingUploads final : public ForwardingDevice {
 public:
  FailingUploads(std::shared_ptr<Device> device, std::atomic<int>& left, bool throws)
      : ForwardingDevice(std::move(device)), left_(left), throws_(throws) {
    traits_.unified_memory = false;
  }
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<FailingQueue>(std::move(queue), left_, throws_));
  }

 private:
  std::atomic<int>& left_;
  const bool throws_;
};

// The ring has 32 pieces: lost ones would leave it empty.
TEST(StagedReads, ThatFailLoseNoPieceOfTheRing) {
  const Folder folder;
  const std::string path = write_random(folder / "bytes", 20 << 20), file = read_file(path);
  const std::vector<FileRange> ranges = ranges_of(file.size());
  const std::string wanted = wanted_bytes(file, ranges);
  on_each_device([&](Device& found) {
    for (const bool throws : {false, true}) {
      std::atomic<int> left = 0;
      const auto device =
          std::make_shared<FailingUploads>(*open_device(found.traits().id), left, throws);
      TAKE(const auto staged, StagedFile::open(device, path, path, 4));
      TAKE(const auto queue, device->queue());
      TAKE(const std::shared_ptr<Buffer> buffer, device->allocate(wanted.size()));
      for (int i = 0; i < 40; i++) {
        left = i % 5;
        EXPECT_EQ(staged->read(*queue, *buffer, ranges).code(),
                  throws ? Code::no_memory : Code::device_lost);
      }
      left = 1 << 20;
      ASSERT_OK(staged->read(*queue, *buffer, ranges));
      TAKE(const std::string read, downloaded(*queue, *buffer, wanted.size()));
      EXPECT_TRUE(read == wanted);
    }
  });
}

// Its reads end when they are left out, and not before.
class HeldFile final : public device::DirectFile {
 public:
  class Reads final : public device::FileReads {
   public:
    explicit Reads(const HeldFile& file) : file_(file) {}
    bool has_ended() const override { return false; }
    Status wait_on(Queue&) override {
      std::unique_lock lock(file_.mutex);
      file_.changed.wait(lock, [this] { return file_.left_out > 0; });
      return {Code::cancelled, "left out"};
    }
    void leave_out() override {
      const std::lock_guard lock(file_.mutex);
      file_.left_out++;
      file_.changed.notify_all();
    }

   private:
    const HeldFile& file_;
  };
  bool bypasses_host() const override { return false; }
  Status read(Queue&, const Buffer&, std::span<const FileRange>) const override {
    return {Code::internal, "read at once"};
  }
  Result<std::unique_ptr<device::FileReads>> begin(Queue&, std::shared_ptr<Buffer>,
                                                   std::vector<FileRange>) const override {
    return std::unique_ptr<device::FileReads>(std::make_unique<Reads>(*this));
  }

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  mutable int left_out = 0;
};

// As after a LIMIT, an error or an interrupt.
TEST(StagedReads, OfABatchThatIsDroppedAreLeftOut) {
  const Folder folder;
  const auto source =
      *open_table(write_words(folder / "t.parquet", parquet::Compression::UNCOMPRESSED));
  on_each_device([&](Device& found) {
    const auto device = own_memory(found);
    const auto held = std::make_shared<HeldFile>();
    const auto table = source->pages()->with_direct_reads(held);
    TAKE(const pages::ChunkPages chunk, table->read(0, 0, {}));
    const pages::ColumnOfPages column{table->columns().data(), {&chunk}};
    TAKE(const auto decoder, pages::PageDecoder::create(device));
    TAKE(const auto queue, device->queue());
    TAKE(auto pending, decoder->begin(*queue, {&column, 1}));
    pending.reset();
    EXPECT_EQ(held->left_out, 1);
  });
}

// The host looks at every byte of a page with a checksum, and at the header of each page. Its
// findings about a file do not hold for the next file of that name.
TEST(StagedReads, AreNotOfSmallPagesNorOfPagesWithChecksums) {
  const Folder folder;
  for (const bool has_checksums : {false, true})
    for (const std::int64_t page_bytes : {std::int64_t{16} << 10, std::int64_t{1} << 20}) {
      const auto source = *open_table(
          write_numbers(folder / "t.parquet", std::uint64_t{1} << 19, page_bytes, has_checksums));
      const std::vector<std::uint32_t> columns = {0};
      std::vector<pages::RowGroupBatch> chunks;
      const auto read = all_pages(*source->pages(), columns, chunks);
      on_each_device([&](Device& found) {
        for (int time = 0; time < 2; time++) {
          TAKE(const auto staged, plan::staged_pages(own_memory(found), read, 2));
          EXPECT_EQ(staged != nullptr, !has_checksums && page_bytes == 1 << 20);
        }
      });
    }
}

}  // namespace
}  // namespace penstock::test
