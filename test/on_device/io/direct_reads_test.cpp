// Queries over pages that a device reads itself: here by a stand-in for GPUDirect Storage, which
// every device has. GPUs with cuFile read by it too.
#include "codec/pages/paged_table.hpp"
#include "on_device/io/array_files.hpp"
#include "penstock/plan.hpp"
#include "penstock/sql.hpp"

namespace penstock::test {
namespace {

// Reads on the host and uploads, but for a byte of the file that cannot be read.
class StandIn final : public device::DirectFile {
 public:
  StandIn(std::string bytes, std::uint64_t failing_byte)
      : bytes_(std::move(bytes)), failing_byte_(failing_byte) {}
  bool bypasses_host() const override { return true; }
  Status read(Queue& queue, const Buffer& to,
              std::span<const device::FileRange> ranges) const override {
    for (const device::FileRange& range : ranges) {
      if (range.file_offset <= failing_byte_ && failing_byte_ < range.file_offset + range.bytes)
        return {Code::io, "byte " + std::to_string(failing_byte_) + " cannot be read"};
      PENSTOCK_TRY(
          queue.upload(to, bytes_.data() + range.file_offset, range.bytes, range.to_offset));
    }
    return queue.finish();
  }

 private:
  const std::string bytes_;
  const std::uint64_t failing_byte_;
};

class DirectSource final : public TableSource {
 public:
  DirectSource(std::shared_ptr<TableSource> source, std::shared_ptr<StandIn> file)
      : source_(std::move(source)), pages_(source_->pages()->with_direct_reads(std::move(file))) {}
  const Schema& schema() const override { return source_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return source_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "the host reads no column");
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const override {
    return source_->select_rows(needed);
  }
  std::string describe() const override { return source_->describe(); }

 private:
  std::shared_ptr<TableSource> source_;
  std::shared_ptr<const pages::PagedTable> pages_;
};

const char* const direct_statements[] = {
    "SELECT count(n), sum(n), min(n), max(n) FROM 't'",
    "SELECT word, count(*), sum(n) FROM 't' GROUP BY word ORDER BY word",
    "SELECT n, word FROM 't' WHERE n BETWEEN 900 AND 905 ORDER BY n, word",
    "SELECT sum(n) FROM 't' WHERE n > 19000",  // skips row groups
};

std::string write_words(const std::string& path, parquet::Compression::type codec) {
  arrow::Int64Builder numbers;
  arrow::StringBuilder words;
  for (int row = 0; row < 20'000; row++) {
    EXPECT_TRUE((row % 7 == 3 ? numbers.AppendNull() : numbers.Append(row)).ok());
    EXPECT_TRUE(words.Append("word " + std::to_string(row % 13)).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("word", arrow::utf8())});
  const auto table =
      arrow::Table::Make(schema, {numbers.Finish().ValueOrDie(), words.Finish().ValueOrDie()});
  parquet::WriterProperties::Builder properties;
  properties.compression(codec)->data_pagesize(3000)->write_batch_size(100);
  EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(),
                                         arrow::io::FileOutputStream::Open(path).ValueOrDie(), 4000,
                                         properties.build())
                  .ok());
  return path;
}

Result<std::string> answer_of(const std::string& statement, std::shared_ptr<TableSource> source,
                              RunOptions options, RunReport* report = nullptr) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result,
                  bind_sql(statement, plan, [&](const std::string&) { return Result(source); }));
  options.page_decoding = PageDecoding::device;
  PENSTOCK_ASSIGN(const QueryResult found, run(plan, result, options));
  if (report) *report = found.report;
  std::string text;
  for (std::uint64_t row = 0; row < found.table.row_count; row++)
    for (const Column& column : found.table.columns) text += cell(column, row) + "\n";
  return text;
}

TEST(DirectReads, AnswersAreThoseOfPagesThatTheHostReads) {
  const Folder folder;
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY}) {
    const std::string path = write_words(folder / "t.parquet", codec);
    const auto source = *open_table(path);
    const auto direct = std::make_shared<DirectSource>(
        source, std::make_shared<StandIn>(read_file(path), ~std::uint64_t{0}));
    on_each_device([&](Device& device) {
      for (const char* statement : direct_statements) {
        RunReport report;
        const RunOptions options{.device = device.traits().id};
        const auto expected = answer_of(statement, source, options);
        const auto answer = answer_of(statement, direct, options, &report);
        ASSERT_TRUE(expected.ok() && answer.ok()) << answer.status().text();
        EXPECT_EQ(*answer, *expected) << statement;
        EXPECT_GT(report.bytes_read_directly, 1000u) << statement;
      }
    });
  }
}

TEST(DirectReads, AByteThatCannotBeReadIsAnErrorOfTheQuery) {
  const Folder folder;
  const std::string path = write_words(folder / "t.parquet", parquet::Compression::SNAPPY);
  const auto source = *open_table(path);
  const std::uint64_t failing = source->pages()->place_of(0, 3)->offset + 50;
  const auto direct =
      std::make_shared<DirectSource>(source, std::make_shared<StandIn>(read_file(path), failing));
  on_each_device([&](Device& device) {
    const Status status =
        answer_of(direct_statements[0], direct, {.device = device.traits().id}).status();
    EXPECT_EQ(status.code(), Code::io);
    EXPECT_NE(status.text().find("byte " + std::to_string(failing) + " cannot be read"),
              std::string::npos)
        << status.text();
  });
}

// In the compatibility mode where the machine has no more.
TEST(DirectReads, ADeviceReadsByCuFileOrSaysWhyNot) {
  const Folder folder;
  const std::string path = write_words(folder / "t.parquet", parquet::Compression::SNAPPY);
  const auto source = *open_table(path);
  on_each_device([&](Device& device) {
    const Status why_not = device::open_direct_file(device, path).status();
    for (const char* statement : direct_statements) {
      RunReport report;
      const RunOptions options{.device = device.traits().id, .direct_reads = DirectReads::on};
      const auto answer = answer_of(statement, source, options, &report);
      if (!why_not.ok()) {
        EXPECT_EQ(answer.status().code(), Code::unsupported);
        EXPECT_NE(answer.status().text().find("GPUDirect Storage"), std::string::npos)
            << answer.status().text();
        continue;
      }
      ASSERT_TRUE(answer.ok()) << answer.status().text();
      EXPECT_EQ(*answer, *answer_of(statement, source, {.device = device.traits().id}));
      EXPECT_GT(report.bytes_read_directly, 1000u);
    }
  });
}

}  // namespace
}  // namespace penstock::test
