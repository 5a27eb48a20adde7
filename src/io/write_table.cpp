#include <arrow/c/bridge.h>
#include <arrow/csv/writer.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include "base/exception_boundary.hpp"
#include "base/file.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sink_stream.hpp"
#include "penstock/io.hpp"

namespace penstock {
namespace {

// Rows per row group: large enough for a dictionary to pay, small enough for threads to share a
// file.
constexpr std::int64_t row_group_rows = 1 << 17;

using Sink = std::shared_ptr<io::SinkStream>;

arrow::Status write_parquet(const arrow::RecordBatch& batch, const Sink& sink) {
  parquet::WriterProperties::Builder properties;
  properties.enable_page_checksum()->enable_store_decimal_as_integer();
  if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY))
    properties.compression(arrow::Compression::SNAPPY);
  ARROW_ASSIGN_OR_RAISE(const auto table,
                        arrow::Table::FromRecordBatches(batch.schema(), {batch.Slice(0)}));
  return parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, row_group_rows,
                                    properties.build());
}

arrow::Status write_ipc(const arrow::RecordBatch& batch, const Sink& sink) {
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, batch.schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(batch));
  return writer->Close();
}

arrow::Status write_csv(const arrow::RecordBatch& batch, const Sink& sink) {
  return arrow::csv::WriteCSV(batch, arrow::csv::WriteOptions::Defaults(), sink.get());
}

arrow::Status write(const arrow::RecordBatch& batch, const Sink& sink, FileFormat format) {
  switch (format) {
    case FileFormat::parquet: return write_parquet(batch, sink);
    case FileFormat::arrow_ipc: return write_ipc(batch, sink);
    case FileFormat::csv: return write_csv(batch, sink);
  }
  return arrow::Status::Invalid("an unknown format");
}

}  // namespace

Status write_table(const Table& table, const ByteSink& sink, FileFormat format) {
  const auto stream = std::make_shared<io::SinkStream>(sink);
  const Status status = io::catch_arrow_exceptions([&]() -> Status {
    ArrowArray array{};
    ArrowSchema schema{};
    PENSTOCK_TRY(export_table(table, &array, &schema));
    PENSTOCK_ASSIGN(const auto batch, io::from_arrow(arrow::ImportRecordBatch(&array, &schema)));
    return io::from_arrow(write(*batch, stream, format));
  });
  return stream->failed().ok() ? status
                               : stream->failed();  // Arrow words the sink's error in its own way
}

Status write_table(const Table& table, const std::string& path, FileFormat format) {
  const Status status = catch_exceptions([&]() -> Status {
    PENSTOCK_ASSIGN(const auto file, WholeFile::create(path));
    PENSTOCK_TRY(
        write_table(table, [&](std::string_view bytes) { return file->write(bytes); }, format));
    return file->commit();
  });
  return status.with("while writing '" + path + "'");
}

}  // namespace penstock
