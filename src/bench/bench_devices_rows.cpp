#include "bench/bench_devices_rows.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <functional>

#include "base/parallel.hpp"
#include "bench/bench_table.hpp"
#include "io/common/arrow_errors.hpp"

namespace penstock::bench {
namespace {

using io::catch_arrow_exceptions;
using io::from_arrow;

constexpr std::uint64_t few_values = 1000, many_values = 10'000'000, max_keys = 1'000'000;

struct MadeColumn {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  std::function<std::uint64_t(std::uint64_t row)> value_at;
};

template <class T>
Result<std::shared_ptr<arrow::Array>> array_of(const MadeColumn& column, std::uint64_t first_row,
                                               std::uint64_t rows) {
  PENSTOCK_ASSIGN(std::shared_ptr<arrow::Buffer> buffer,
                  from_arrow(arrow::AllocateBuffer(static_cast<std::int64_t>(rows * sizeof(T)))));
  T* const values = reinterpret_cast<T*>(buffer->mutable_data());
  in_parallel(rows, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      values[row] = static_cast<T>(column.value_at(first_row + row));
  });
  return arrow::MakeArray(arrow::ArrayData::Make(column.type, static_cast<std::int64_t>(rows),
                                                 {nullptr, std::move(buffer)}, 0));
}

Result<std::shared_ptr<arrow::RecordBatch>> batch_of(const std::shared_ptr<arrow::Schema>& schema,
                                                     const std::vector<MadeColumn>& columns,
                                                     std::uint64_t first_row, std::uint64_t rows) {
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const MadeColumn& column : columns) {
    PENSTOCK_ASSIGN(arrays.emplace_back(), column.type->id() == arrow::Type::INT32
                                               ? array_of<std::int32_t>(column, first_row, rows)
                                               : array_of<std::int64_t>(column, first_row, rows));
  }
  return arrow::RecordBatch::Make(schema, static_cast<std::int64_t>(rows), std::move(arrays));
}

// Columns of a row group are encoded by a thread each.
Status write_table(const std::filesystem::path& path, const std::vector<MadeColumn>& columns,
                   std::uint64_t rows, std::uint64_t row_group_rows) {
  arrow::FieldVector fields;
  for (const MadeColumn& column : columns)
    fields.push_back(arrow::field(column.name, column.type, false));
  const auto schema = arrow::schema(fields);
  parquet::WriterProperties::Builder properties;
  properties.disable_dictionary()->max_row_group_length(static_cast<std::int64_t>(row_group_rows));
  parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.set_use_threads(true);
  PENSTOCK_ASSIGN(const auto sink, from_arrow(arrow::io::FileOutputStream::Open(path.string())));
  PENSTOCK_ASSIGN(const auto writer, from_arrow(parquet::arrow::FileWriter::Open(
                                         *schema, arrow::default_memory_pool(), sink,
                                         properties.build(), arrow_properties.build())));
  for (std::uint64_t row = 0; row < rows; row += row_group_rows) {
    PENSTOCK_ASSIGN(const auto batch,
                    batch_of(schema, columns, row, std::min(row_group_rows, rows - row)));
    PENSTOCK_TRY(from_arrow(writer->WriteRecordBatch(*batch)));
  }
  PENSTOCK_TRY(from_arrow(writer->Close()));
  return from_arrow(sink->Close());
}

}  // namespace

Status write_rows_of_devices(const std::filesystem::path& folder, std::uint64_t rows,
                             std::uint64_t row_group_rows) {
  const auto few = [](std::uint64_t row) { return hash_of_row(row) % few_values; };
  const auto many = [](std::uint64_t row) { return hash_of_row(row ^ 1ull << 40) % many_values; };
  const auto value = [](std::uint64_t row) { return hash_of_row(row ^ 1ull << 41) >> 40; };
  const auto id = [](std::uint64_t row) { return row; };
  return catch_arrow_exceptions([&]() -> Status {
    PENSTOCK_TRY(write_table(folder / "rows.parquet",
                             {{"few", arrow::int32(), few},
                              {"many", arrow::int64(), many},
                              {"value", arrow::int64(), value}},
                             rows, row_group_rows));
    return write_table(folder / "keys.parquet",
                       {{"id", arrow::int64(), id}, {"weight", arrow::int64(), value}},
                       std::min(rows, max_keys), row_group_rows);
  });
}

}  // namespace penstock::bench
