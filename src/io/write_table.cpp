#include <arrow/c/bridge.h>
#include <arrow/csv/writer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/arrow_errors.hpp"
#include "penstock/io.hpp"

namespace penstock {
namespace {

// Rows a row group: large enough for a dictionary to pay, small enough that threads share a file.
constexpr std::int64_t row_group_rows = 1 << 17;

using Sink = std::shared_ptr<arrow::io::OutputStream>;

arrow::Status write_parquet(const arrow::RecordBatch& batch, const Sink& sink) {
  parquet::WriterProperties::Builder properties;
  properties.enable_page_checksum()->enable_store_decimal_as_integer();
  if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) properties.compression(arrow::Compression::SNAPPY);
  ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches(batch.schema(), {batch.Slice(0)}));
  return parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, row_group_rows, properties.build());
}

arrow::Status write_ipc(const arrow::RecordBatch& batch, const Sink& sink) {
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, batch.schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(batch));
  return writer->Close();
}

arrow::Status write_csv(const arrow::RecordBatch& batch, const Sink& sink) {
  return arrow::csv::WriteCSV(batch, arrow::csv::WriteOptions::Defaults(), sink.get());
}

Status write(const Table& table, const std::string& path, FileFormat format) {
  ArrowArray array{};
  ArrowSchema schema{};
  PENSTOCK_TRY(export_table(table, &array, &schema));
  PENSTOCK_ASSIGN(const auto batch, io::from_arrow(arrow::ImportRecordBatch(&array, &schema)));
  PENSTOCK_ASSIGN(const Sink sink, io::from_arrow(arrow::io::FileOutputStream::Open(path)));
  switch (format) {
    case FileFormat::parquet: PENSTOCK_TRY(io::from_arrow(write_parquet(*batch, sink))); break;
    case FileFormat::arrow_ipc: PENSTOCK_TRY(io::from_arrow(write_ipc(*batch, sink))); break;
    case FileFormat::csv: PENSTOCK_TRY(io::from_arrow(write_csv(*batch, sink))); break;
  }
  return io::from_arrow(sink->Close());
}

}  // namespace

Status write_table(const Table& table, const std::string& path, FileFormat format) {
  // Of this process and call alone, and in the same folder, so that the rename stays within one file system.
  static std::atomic<unsigned> counter{0};
  const std::string partial = path + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  Status status = io::guard([&] { return write(table, partial, format); });
  if (status.ok() && std::rename(partial.c_str(), path.c_str()) != 0) status = {Code::io, std::strerror(errno)};
  if (!status.ok()) std::remove(partial.c_str());
  return status.with("while writing '" + path + "'");
}

}  // namespace penstock
