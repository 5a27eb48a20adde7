// Arrow IPC, as a file (with a footer that finds batches) and as a stream.
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>

#include <algorithm>
#include <filesystem>

#include "column/rebatch.hpp"
#include "io/arrow_batches.hpp"
#include "io/sources.hpp"

namespace penstock::io {
namespace {

// The batches of either form; null at the end.
using NextBatch = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>()>;
struct Opened {
  std::shared_ptr<arrow::Schema> schema;
  std::optional<std::uint64_t> row_count;
  NextBatch next;
};

Result<Opened> open_file(const std::string& path, const arrow::ipc::IpcReadOptions& options) {
  PENSTOCK_ASSIGN(auto input, from_arrow(arrow::io::ReadableFile::Open(path)));
  PENSTOCK_ASSIGN(auto reader, from_arrow(arrow::ipc::RecordBatchFileReader::Open(input, options)));
  PENSTOCK_ASSIGN(const std::int64_t rows, from_arrow(reader->CountRows()));
  if (rows < 0) return Status(Code::corrupt, "the file claims " + std::to_string(rows) + " rows");
  auto schema = reader->schema();
  return Opened{std::move(schema), static_cast<std::uint64_t>(rows),
                [reader, index = 0]() mutable -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
                  if (index == reader->num_record_batches()) return nullptr;
                  return reader->ReadRecordBatch(index++);
                }};
}

Result<Opened> open_stream(const std::string& path, const arrow::ipc::IpcReadOptions& options) {
  PENSTOCK_ASSIGN(auto input, from_arrow(arrow::io::ReadableFile::Open(path)));
  PENSTOCK_ASSIGN(auto reader, from_arrow(arrow::ipc::RecordBatchStreamReader::Open(input, options)));
  auto schema = reader->schema();
  return Opened{std::move(schema), std::nullopt, [reader]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
                  return reader->Next();
                }};
}

using Open = Result<Opened> (*)(const std::string& path, const arrow::ipc::IpcReadOptions& options);

class IpcSource final : public TableSource {
 public:
  IpcSource(std::string path, Open open, std::vector<column::ArrowField> fields, std::optional<std::uint64_t> row_count)
      : path_(std::move(path)), open_(open), fields_(std::move(fields)), schema_(schema_of(fields_)), row_count_(row_count) {}

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return std::filesystem::path(path_).filename().string(); }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns, const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, path_));
    auto stream = guard([&] { return start(columns, options); });
    if (!stream.ok()) return stream.with("while reading '" + path_ + "'");
    return stream;
  }

 private:
  // Only the fields asked for are read. No field means all to Arrow, so that one is read when only rows are counted.
  Result<std::unique_ptr<BatchStream>> start(std::span<const std::uint32_t> columns, const ScanOptions& options) const {
    arrow::ipc::IpcReadOptions read_options;
    auto& included = read_options.included_fields;
    included.assign(columns.begin(), columns.end());
    std::ranges::sort(included);
    included.erase(std::unique(included.begin(), included.end()), included.end());
    if (included.empty() && !fields_.empty()) included.push_back(0);
    PENSTOCK_ASSIGN(auto opened, open_(path_, read_options));
    std::vector<column::ArrowField> read_fields;
    for (const int index : included) read_fields.push_back(fields_[static_cast<std::size_t>(index)]);
    PENSTOCK_ASSIGN(const auto now, fields_of(*opened.schema));
    if (!std::ranges::equal(now, read_fields, {}, &column::ArrowField::field, &column::ArrowField::field))
      return Status(Code::io, "the file was replaced by one of another schema");
    std::vector<std::uint32_t> wanted;
    for (const std::uint32_t column : columns)
      wanted.push_back(static_cast<std::uint32_t>(std::ranges::find(included, static_cast<int>(column)) - included.begin()));
    return column::rebatch([path = path_, next = std::move(opened.next), read_fields, wanted] {
      auto table = guard([&] { return read_next(next, read_fields, wanted); });
      return table.ok() ? std::move(table) : Result<std::optional<Table>>(table.with("while reading '" + path + "'"));
    }, options.batch_rows);
  }

  static Result<std::optional<Table>> read_next(const NextBatch& next, std::span<const column::ArrowField> fields,
                                                std::span<const std::uint32_t> wanted) {
    PENSTOCK_ASSIGN(const auto batch, from_arrow(next()));
    if (!batch) return std::optional<Table>();
    PENSTOCK_ASSIGN(Table table, import_untrusted(*batch, fields, wanted));
    return std::optional<Table>(std::move(table));
  }

  std::string path_;
  Open open_;
  std::vector<column::ArrowField> fields_;
  Schema schema_;
  std::optional<std::uint64_t> row_count_;
};

Result<std::shared_ptr<TableSource>> open_ipc(const std::string& path, Open open) {
  return guard([&]() -> Result<std::shared_ptr<TableSource>> {
    PENSTOCK_ASSIGN(const auto opened, open(path, arrow::ipc::IpcReadOptions::Defaults()));
    PENSTOCK_ASSIGN(auto fields, fields_of(*opened.schema));
    return std::shared_ptr<TableSource>(std::make_shared<IpcSource>(path, open, std::move(fields), opened.row_count));
  });
}

}  // namespace

Result<std::shared_ptr<TableSource>> open_ipc_file(const std::string& path) { return open_ipc(path, open_file); }
Result<std::shared_ptr<TableSource>> open_ipc_stream(const std::string& path) { return open_ipc(path, open_stream); }

}  // namespace penstock::io
