// Pages that kernels cannot read, which only their bytes show. If the library chooses, the host
// decodes them and the report says so; if pages on the device are asked for, they are refused.
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "exec/devices/run_on_devices.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/io/array_files.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

// Keeps a device that is no CPU, which reads pages without being asked.
class GpuSession final : public SessionDevice {
 public:
  GpuSession() { cache_.set_limit(0); }
  Result<std::shared_ptr<Device>> device() override { return device_; }
  bool is_open() const override { return true; }

 private:
  std::shared_ptr<Device> device_ = kernel::make_host_device({});
};

class RefusedPages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
    path_ = own_path("refused_pages.parquet");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // A column of strings without a dictionary. If there are several row groups, also a column of row
  // numbers.
  void write(const std::vector<std::string>& rows,
             parquet::Compression::type codec = parquet::Compression::UNCOMPRESSED,
             std::int64_t rows_of_group = 1 << 20) const {
    arrow::StringBuilder strings;
    for (const std::string& row : rows) ASSERT_TRUE(strings.Append(row).ok());
    arrow::FieldVector fields = {arrow::field("s", arrow::utf8())};
    arrow::ArrayVector columns = {strings.Finish().ValueOrDie()};
    if (rows_of_group < static_cast<std::int64_t>(rows.size())) {
      arrow::Int64Builder numbers;
      for (std::size_t i = 0; i < rows.size(); i++)
        ASSERT_TRUE(numbers.Append(static_cast<std::int64_t>(i)).ok());
      fields.push_back(arrow::field("n", arrow::int64(), false));
      columns.push_back(numbers.Finish().ValueOrDie());
    }
    const auto table = arrow::Table::Make(arrow::schema(fields), columns);
    const auto properties = parquet::WriterProperties::Builder()
                                .disable_dictionary()
                                ->disable_statistics()
                                ->compression(codec)
                                ->data_pagesize(std::int64_t{1} << 30)
                                ->build();
    const auto file = arrow::io::FileOutputStream::Open(path_).ValueOrDie();
    ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file,
                                           rows_of_group, properties)
                    .ok());
    ASSERT_TRUE(file->Close().ok());
  }

  Result<QueryResult> ask(PageDecoding decoding) const {
    RunOptions options;
    options.session = std::make_shared<GpuSession>();
    options.page_decoding = decoding;
    Plan plan;
    PENSTOCK_ASSIGN(const StepId result,
                    bind_sql("SELECT count(s) AS c, sum(strlen(s)) AS l FROM '" + path_ +
                                 "' WHERE s LIKE '%a%'",
                             plan, open_table));
    return run(plan, result, options);
  }

  // `why`: a part of the reason.
  void expect_host_decodes(std::uint64_t count, std::uint64_t bytes, const std::string& why) const {
    const auto refused = ask(PageDecoding::device);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().text().find(why), std::string::npos) << refused.status().text();
    const auto chosen = ask(PageDecoding::automatic);
    ASSERT_TRUE(chosen.ok()) << chosen.status().text();
    EXPECT_EQ(cell(chosen->table.columns[0], 0), std::to_string(count));
    EXPECT_EQ(cell(chosen->table.columns[1], 0), std::to_string(bytes));
    EXPECT_EQ(chosen->report.paged_chunks, 0u);
    const auto& notes = chosen->report.notes;
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.starts_with("begun anew") && note.find(why) != std::string::npos;
    }));
  }

  std::string path_;
};

TEST_F(RefusedPages, StringsOf16MiB) {
  const std::uint64_t bytes = std::uint64_t{16} << 20;
  ASSERT_NO_FATAL_FAILURE(write({"a", std::string(bytes, 'a'), "b"}));
  expect_host_decodes(2, bytes + 1, "a string of 16 MiB or more");
}

// One share begins anew after all have put a right side together. The others are past it by then,
// and wait for it elsewhere.
TEST_F(RefusedPages, AShareThatBeginsAnewAfterAJoinsRightSideHoldsNobodyUp) {
  const std::vector<Traits> found = list_devices();
  ASSERT_FALSE(found.empty());
  const std::string id = found.front().id;  // of which the host's executor takes the place
  std::vector<std::string> rows(1000, "abc");
  rows[900] = std::string(std::size_t{16} << 20, 'a');
  const std::string left = path_, right = path_ + ".right";
  ASSERT_NO_FATAL_FAILURE(write(rows, parquet::Compression::UNCOMPRESSED, 500));
  path_ = right;
  ASSERT_NO_FATAL_FAILURE(
      write(std::vector<std::string>(1000, "abc"), parquet::Compression::UNCOMPRESSED, 500));
  path_ = left;
  const std::string from =
      " FROM '" + left + "' l JOIN '" + right + "' r ON l.n = r.n WHERE l.s LIKE '%a%'";
  for (const std::string& text : {"SELECT r.n AS n, sum(strlen(l.s)) AS m" + from + " GROUP BY r.n",
                                  "SELECT l.n AS n, r.n AS m" + from + " ORDER BY 1"}) {
    Plan plan;
    TAKE(const StepId step, bind_sql(text, plan, open_table));
    const std::shared_ptr<Device> device = kernel::make_host_device({});
    RunOptions options{.device = id};
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const auto outcome,
         plan::run_on_devices(plan, {step}, options, {{id, device}, {id, device}}));
    EXPECT_EQ(outcome[0].table.row_count, 1000u);
  }
  std::filesystem::remove(right);
}

// Replaces what begins with `from` by as many bytes.
std::string replaced(std::string file, const std::string& from, const std::string& to) {
  const std::size_t at = file.find(from);
  EXPECT_NE(at, std::string::npos);
  return at == std::string::npos ? file : file.replace(at, to.size(), to);
}

// Levels of 48 rows are 6 bytes in both encodings: a length of two and a run, or a bit for each.
TEST_F(RefusedPages, LevelsOfEncodingBitPacked) {
  ASSERT_NO_FATAL_FAILURE(write(std::vector<std::string>(48, "ab")));
  using namespace std::string_literals;
  // In the header: 48 values, PLAIN, and RLE twice; each with the field's number before it.
  std::string file = replaced(read_file(path_), "\x15\x60\x15\x00\x15\x06\x15\x06"s,
                              "\x15\x60\x15\x00\x15\x08\x15\x06"s);
  file = replaced(file, "\x02\x00\x00\x00\x60\x01"s, std::string(6, '\xff'));
  write_file(path_, file);
  expect_host_decodes(48, 96, "BIT_PACKED");
}

std::string frame_of(const std::string& bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level));
  return frame;
}

// The page of a file is written again as two better frames, and one that is skipped to its end.
TEST_F(RefusedPages, ZstandardOfSeveralFrames) {
  std::mt19937 random(5);
  std::vector<std::string> rows(20000);
  std::uint64_t count = 0, bytes = 0;
  for (std::string& row : rows) {
    for (const char* word : {"alpha ", "beta ", "gamma ", "o", "zz "})
      if (random() % 2 == 0) row += word;
    if (row.find('a') == std::string::npos) continue;
    count++;
    bytes += row.size();
  }
  ASSERT_NO_FATAL_FAILURE(write(rows, parquet::Compression::ZSTD));
  std::string file = read_file(path_);
  const std::size_t begin = file.find("\x28\xb5\x2f\xfd");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end =
      begin + ZSTD_findFrameCompressedSize(file.data() + begin, file.size() - begin);
  std::string page(std::size_t{4} << 20, '\0');
  page.resize(ZSTD_decompress(page.data(), page.size(), file.data() + begin, end - begin));
  const std::size_t half = page.size() / 2;
  std::string frames = frame_of(page.substr(0, half), 19) + frame_of(page.substr(half), 19);
  ASSERT_LE(frames.size() + 8, end - begin);
  const auto skipped = static_cast<std::uint32_t>(end - begin - frames.size() - 8);
  frames += std::string("\x50\x2a\x4d\x18", 4) + bytes_of_value(skipped) + std::string(skipped, 0);
  write_file(path_, file.replace(begin, frames.size(), frames));
  expect_host_decodes(count, bytes, "more than one frame");
}

// Damage is an error, whether the host or the device decodes.
TEST_F(RefusedPages, DamageIsNotHandedToTheHost) {
  ASSERT_NO_FATAL_FAILURE(write(std::vector<std::string>(48, "ab")));
  using namespace std::string_literals;
  const std::string file =
      replaced(read_file(path_), "\x02\x00\x00\x00\x60\x01"s, "\x02\x00\x00\x00\x60\x03"s);
  write_file(path_, file);
  const auto outcome = ask(PageDecoding::automatic);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.status().text().find("a definition level above 1"), std::string::npos)
      << outcome.status().text();
}

}  // namespace
}  // namespace penstock::test
