// Tables with pages that a DirectFile of the test's own reads, and statements over them.
#pragma once
#include "codec/pages/paged_table.hpp"
#include "on_device/io/array_files.hpp"
#include "penstock/run.hpp"
#include "penstock/sql.hpp"

namespace penstock::test {

class DirectSource final : public TableSource {
 public:
  DirectSource(std::shared_ptr<TableSource> source, std::shared_ptr<const device::DirectFile> file)
      : source_(std::move(source)), pages_(source_->pages()->with_direct_reads(std::move(file))) {}
  DirectSource(std::shared_ptr<TableSource> source, std::shared_ptr<const pages::PagedTable> pages)
      : source_(std::move(source)), pages_(std::move(pages)) {}
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

inline const char* const direct_statements[] = {
    "SELECT count(n), sum(n), min(n), max(n) FROM 't'",
    "SELECT word, count(*), sum(n) FROM 't' GROUP BY word ORDER BY word",
    "SELECT n, word FROM 't' WHERE n BETWEEN 900 AND 905 ORDER BY n, word",
    "SELECT sum(n) FROM 't' WHERE n > 19000",  // skips row groups
};

inline std::string write_words(const std::string& path, parquet::Compression::type codec) {
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

inline Result<std::string> answer_of(const std::string& statement,
                                     std::shared_ptr<TableSource> source, RunOptions options,
                                     RunReport* report = nullptr) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result,
                  bind_sql(statement, plan, [&](const TableReference&) { return Result(source); }));
  options.page_decoding = PageDecoding::device;
  PENSTOCK_ASSIGN(const QueryResult found, run(plan, result, options));
  if (report) *report = found.report;
  std::string text;
  for (std::uint64_t row = 0; row < found.table.row_count; row++)
    for (const Column& column : found.table.columns) text += cell(column, row) + "\n";
  return text;
}

}  // namespace penstock::test
