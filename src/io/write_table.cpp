#include <arrow/c/bridge.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include "base/ascii.hpp"
#include "base/exception_boundary.hpp"
#include "base/file.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sink_stream.hpp"
#include "io/output/rows_as_text.hpp"
#include "penstock/io.hpp"

namespace penstock {
namespace {

// Rows per row group: large enough for a dictionary to pay, small enough for threads to share a
// file.
constexpr std::uint64_t default_row_group_rows = 1 << 17;

using Sink = std::shared_ptr<io::SinkStream>;

// The codecs of Parquet's standard that are written, by the names that COPY takes.
arrow::Result<arrow::Compression::type> codec_named(const std::string& name) {
  if (name.empty())
    return arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)
               ? arrow::Compression::SNAPPY
               : arrow::Compression::UNCOMPRESSED;
  static constexpr struct {
    std::string_view name;
    arrow::Compression::type codec;
  } codecs[] = {{"uncompressed", arrow::Compression::UNCOMPRESSED},
                {"none", arrow::Compression::UNCOMPRESSED},
                {"snappy", arrow::Compression::SNAPPY},
                {"gzip", arrow::Compression::GZIP},
                {"zstd", arrow::Compression::ZSTD},
                {"lz4", arrow::Compression::LZ4},
                {"lz4_raw", arrow::Compression::LZ4}};
  for (const auto& row : codecs)
    if (row.name == name) return row.codec;
  return arrow::Status::NotImplemented(
      "the compression '", name,
      "' is not written to Parquet; uncompressed, snappy, gzip, zstd and "
      "lz4 are");
}

arrow::Status check_parquet_types(const arrow::Schema& schema) {
  for (const auto& field : schema.fields())
    if (field->type()->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO)
      return arrow::Status::NotImplemented("column '", field->name(),
                                           "' is INTERVAL, which is not written to Parquet; "
                                           "CAST(... AS VARCHAR) writes its text");
  return arrow::Status::OK();
}

arrow::Status write_parquet(const arrow::RecordBatch& batch, const Sink& sink,
                            const WriteOptions& options) {
  ARROW_RETURN_NOT_OK(check_parquet_types(*batch.schema()));
  parquet::WriterProperties::Builder properties;
  properties.enable_page_checksum()->enable_store_decimal_as_integer();
  ARROW_ASSIGN_OR_RAISE(const auto codec, codec_named(options.compression));
  properties.compression(codec);
  const std::uint64_t rows =
      options.row_group_rows == 0 ? default_row_group_rows : options.row_group_rows;
  ARROW_ASSIGN_OR_RAISE(const auto table,
                        arrow::Table::FromRecordBatches(batch.schema(), {batch.Slice(0)}));
  return parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink,
                                    static_cast<std::int64_t>(rows), properties.build());
}

arrow::Status write_ipc(const arrow::RecordBatch& batch, const Sink& sink) {
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, batch.schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(batch));
  return writer->Close();
}

Status write_by_arrow(const Table& table, const ByteSink& sink, FileFormat format,
                      const WriteOptions& options) {
  const auto stream = std::make_shared<io::SinkStream>(sink);
  const Status status = io::catch_arrow_exceptions([&]() -> Status {
    ArrowArray array{};
    ArrowSchema schema{};
    PENSTOCK_TRY(export_table(table, &array, &schema));
    PENSTOCK_ASSIGN(const auto batch, io::from_arrow(arrow::ImportRecordBatch(&array, &schema)));
    return io::from_arrow(format == FileFormat::parquet ? write_parquet(*batch, stream, options)
                                                        : write_ipc(*batch, stream));
  });
  return stream->failed().ok() ? status
                               : stream->failed();  // Arrow words the sink's error in its own way
}

Status check_lengths(const Table& table) {
  for (const Column& column : table.columns)
    if (column.row_count != table.row_count)
      return {Code::invalid, "a column of " + std::to_string(column.row_count) +
                                 " rows in a table of " + std::to_string(table.row_count)};
  return {};
}

}  // namespace

std::optional<FileFormat> format_of_path(std::string_view path) {
  static constexpr struct {
    std::string_view ending;
    FileFormat format;
  } endings[] = {{".parquet", FileFormat::parquet},
                 {".arrow", FileFormat::arrow_ipc},
                 {".csv", FileFormat::csv},
                 {".json", FileFormat::json}};
  const std::string folded = lower(path);
  for (const auto& row : endings)
    if (folded.ends_with(row.ending)) return row.format;
  return std::nullopt;
}

Status write_table(const Table& table, const ByteSink& sink, FileFormat format,
                   const WriteOptions& options) {
  PENSTOCK_TRY(check_lengths(table));
  return catch_exceptions([&]() -> Status {
    switch (format) {
      case FileFormat::parquet:
      case FileFormat::arrow_ipc: return write_by_arrow(table, sink, format, options);
      case FileFormat::csv: return io::format_csv(table, sink, options.csv);
      case FileFormat::json: return io::format_json(table, sink, options.json);
    }
    return {Code::invalid, "an unknown format"};
  });
}

Status write_table(const Table& table, const std::string& path, FileFormat format,
                   const WriteOptions& options) {
  const Status status = catch_exceptions([&]() -> Status {
    PENSTOCK_ASSIGN(const auto file, WholeFile::create(path));
    PENSTOCK_TRY(write_table(
        table, [&](std::string_view bytes) { return file->write(bytes); }, format, options));
    return file->commit();
  });
  return status.with("while writing '" + path + "'");
}

}  // namespace penstock
