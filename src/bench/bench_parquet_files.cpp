#include "bench/bench_parquet_files.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <cstring>
#include <thread>

#include "base/parallel.hpp"
#include "bench/bench_table.hpp"
#include "io/common/arrow_errors.hpp"

namespace penstock::bench {
namespace {

using io::catch_arrow_exceptions;
using io::from_arrow;

constexpr std::uint64_t row_group_rows = 1 << 20;  // as Arrow's writer has it
constexpr std::uint64_t dictionary_values = 1000;

struct TypeRow {
  const char* name;
  std::vector<const char*> encodings;
};
const std::vector<TypeRow>& types_of_parquet() {
  static const std::vector<TypeRow> rows = {
      {"boolean", {"plain", "rle"}},
      {"int32", {"plain", "dictionary", "delta", "byte-streams"}},
      {"int64", {"plain", "dictionary", "delta", "byte-streams"}},
      {"int64-nulls", {"plain", "dictionary", "delta"}},
      {"float32", {"plain", "dictionary", "byte-streams"}},
      {"float64", {"plain", "dictionary", "byte-streams"}},
      {"decimal", {"plain", "dictionary", "byte-streams"}},
      {"timestamp", {"plain", "dictionary", "delta"}},
      {"int96", {"plain", "dictionary"}},
      {"string", {"plain", "dictionary", "delta-lengths", "delta-bytes"}}};
  return rows;
}

parquet::Encoding::type encoding_of(const std::string& name) {
  if (name == "rle") return parquet::Encoding::RLE;
  if (name == "delta") return parquet::Encoding::DELTA_BINARY_PACKED;
  if (name == "byte-streams") return parquet::Encoding::BYTE_STREAM_SPLIT;
  if (name == "delta-lengths") return parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY;
  return name == "delta-bytes" ? parquet::Encoding::DELTA_BYTE_ARRAY : parquet::Encoding::PLAIN;
}

parquet::Compression::type compression_of_name(const std::string& name) {
  if (name == "snappy") return parquet::Compression::SNAPPY;
  if (name == "zstd") return parquet::Compression::ZSTD;
  if (name == "lz4") return parquet::Compression::LZ4;
  return name == "gzip" ? parquet::Compression::GZIP : parquet::Compression::UNCOMPRESSED;
}

std::uint64_t value_at(const ParquetForm& form, std::uint64_t row) {
  const std::uint64_t hash = hash_of_row(row);
  if (form.encoding == "dictionary") return hash_of_row(hash % dictionary_values) >> 40;
  return form.encoding == "delta" ? row * 64 + (hash & 63) : hash >> 40;
}

std::string string_at(const ParquetForm& form, std::uint64_t row) {
  const std::uint64_t value = value_at(form, row);
  return "carrier " + std::to_string(value % 97) + ", parcel " + std::to_string(value);
}

template <class Builder, class Value>
arrow::Result<std::shared_ptr<arrow::Array>> built_array(Builder&& builder, std::uint64_t rows,
                                                         bool has_nulls, const Value& value) {
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<std::int64_t>(rows)));
  for (std::uint64_t row = 0; row < rows; row++)
    ARROW_RETURN_NOT_OK(has_nulls && hash_of_row(~row) % 10 == 0 ? builder.AppendNull()
                                                                 : builder.Append(value(row)));
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> values_of_form(const ParquetForm& form,
                                                            std::uint64_t rows) {
  const auto whole = [&](std::uint64_t row) {
    return static_cast<std::int64_t>(value_at(form, row));
  };
  const auto make = [&](auto&& builder, const auto& value) {
    return built_array(builder, rows, form.type == "int64-nulls", value);
  };
  const std::string& type = form.type;
  const auto pool = arrow::default_memory_pool();
  if (type == "boolean")
    return make(arrow::BooleanBuilder(), [&](std::uint64_t row) { return whole(row) % 3 == 0; });
  if (type == "int32")
    return make(arrow::Int32Builder(),
                [&](std::uint64_t row) { return static_cast<std::int32_t>(whole(row)); });
  if (type == "float32")
    return make(arrow::FloatBuilder(),
                [&](std::uint64_t row) { return static_cast<float>(whole(row)) / 64; });
  if (type == "float64")
    return make(arrow::DoubleBuilder(),
                [&](std::uint64_t row) { return static_cast<double>(whole(row)) / 100; });
  if (type == "decimal")
    return make(arrow::Decimal128Builder(arrow::decimal128(15, 2)),
                [&](std::uint64_t row) { return arrow::Decimal128(whole(row)); });
  if (type == "timestamp" || type == "int96")
    return make(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO), pool), whole);
  if (type == "string")
    return make(arrow::StringBuilder(), [&](std::uint64_t row) { return string_at(form, row); });
  return make(arrow::Int64Builder(), whole);
}

Status write_form(const ParquetForm& form, std::uint64_t rows, const std::string& path) {
  PENSTOCK_ASSIGN(const auto values, from_arrow(values_of_form(form, rows)));
  const bool has_nulls = form.type == "int64-nulls";
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("value", values->type(), has_nulls)}), {values});
  parquet::WriterProperties::Builder properties;
  properties.version(parquet::ParquetVersion::PARQUET_2_6)
      ->compression(compression_of_name(form.codec))
      ->max_row_group_length(static_cast<std::int64_t>(row_group_rows));
  if (form.encoding != "dictionary")
    properties.disable_dictionary()->encoding(encoding_of(form.encoding));
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (form.type == "int96") arrow_properties.enable_deprecated_int96_timestamps();
  PENSTOCK_ASSIGN(const auto sink, from_arrow(arrow::io::FileOutputStream::Open(path)));
  PENSTOCK_TRY(from_arrow(parquet::arrow::WriteTable(
      *table, arrow::default_memory_pool(), sink, static_cast<std::int64_t>(row_group_rows),
      properties.build(), arrow_properties.build())));
  return from_arrow(sink->Close());
}

using Reader = std::unique_ptr<parquet::arrow::FileReader>;
Result<Reader> open_by_arrow(const std::string& path) {
  parquet::ArrowReaderProperties properties;
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  parquet::arrow::FileReaderBuilder builder;
  PENSTOCK_TRY(from_arrow(builder.OpenFile(path, true)));
  Reader reader;
  PENSTOCK_TRY(from_arrow(builder.properties(properties)->Build(&reader)));
  return reader;
}

Status read_row_group(parquet::arrow::FileReader& reader, std::uint64_t group,
                      std::shared_ptr<arrow::Table>& table) {
#if ARROW_VERSION_MAJOR >= 24
  PENSTOCK_ASSIGN(table, from_arrow(reader.ReadRowGroup(static_cast<int>(group))));
  return {};
#else
  return from_arrow(reader.ReadRowGroup(static_cast<int>(group), &table));
#endif
}

Status read_row_groups(const std::string& path, std::vector<std::shared_ptr<arrow::Table>>& tables,
                       std::uint64_t first, std::uint64_t last) {
  return catch_arrow_exceptions([&]() -> Status {
    PENSTOCK_ASSIGN(const Reader reader, open_by_arrow(path));
    for (std::uint64_t group = first; group < last; group++)
      PENSTOCK_TRY(read_row_group(*reader, group, tables[group]));
    return {};
  });
}

// The host's copy of an array in device memory.
struct DownloadedArray {
  std::vector<std::uint8_t> values, validity;
  std::vector<std::uint32_t> offsets;
  bool is_valid(std::uint64_t row) const {
    return validity.empty() || (validity[row / 8] >> row % 8 & 1) != 0;
  }
};

Status download_array(Device& device, const DeviceArray& array, DownloadedArray& to) {
  to.values.resize(array.value_bytes);
  if (array.validity) to.validity.resize((array.row_count + 7) / 8);
  if (array.offsets) to.offsets.resize((array.row_count + 1) * array.offset_bytes / 4);
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->download(to.values.data(), *array.values, to.values.size()));
  if (array.validity)
    PENSTOCK_TRY(queue->download(to.validity.data(), *array.validity, to.validity.size()));
  if (array.offsets)
    PENSTOCK_TRY(queue->download(to.offsets.data(), *array.offsets, to.offsets.size() * 4));
  return queue->finish();
}

std::string_view bytes_at(const DeviceArray& array, const DownloadedArray& from,
                          std::uint64_t row) {
  const char* const values = reinterpret_cast<const char*>(from.values.data());
  if (array.offset_bytes == 0) {
    const std::size_t width = width_bytes(array.type);
    return {values + row * width, width};
  }
  return {values + from.offsets[row], from.offsets[row + 1] - from.offsets[row]};
}

bool is_equal(const arrow::Array& wanted, std::int64_t at, const DeviceArray& array,
              const DownloadedArray& found, std::uint64_t row) {
  if (wanted.IsNull(at) || !found.is_valid(row)) return wanted.IsNull(at) != found.is_valid(row);
  if (array.type.kind == Kind::boolean)
    return static_cast<const arrow::BooleanArray&>(wanted).Value(at) ==
           ((found.values[row / 8] >> row % 8 & 1) != 0);
  const std::string_view bytes = bytes_at(array, found, row);
  if (array.type.kind == Kind::string)
    return static_cast<const arrow::StringArray&>(wanted).GetView(at) == bytes;
  // Arrow's decimals have their low 64 bits first, and ours are these; others have one layout.
  const std::uint8_t* const of_arrow =
      wanted.data()->buffers[1]->data() + (wanted.offset() + at) * wanted.type()->byte_width();
  return std::memcmp(of_arrow, bytes.data(), bytes.size()) == 0;
}

}  // namespace

std::vector<ParquetForm> parquet_forms() {
  std::vector<ParquetForm> forms;
  for (const TypeRow& type : types_of_parquet())
    for (const char* const encoding : type.encodings)
      for (const char* const codec : {"none", "snappy", "zstd", "lz4", "gzip"})
        forms.push_back({type.name, encoding, codec});
  return forms;
}

Status write_parquet_form(const ParquetForm& form, std::uint64_t rows, const std::string& path) {
  return catch_arrow_exceptions([&] { return write_form(form, rows, path); });
}

Result<ArrowColumn> ArrowColumn::read(const std::string& path) {
  return catch_arrow_exceptions([&]() -> Result<ArrowColumn> {
    PENSTOCK_ASSIGN(const Reader reader, open_by_arrow(path));
    const auto groups = static_cast<std::uint64_t>(reader->num_row_groups());
    std::vector<std::shared_ptr<arrow::Table>> tables(groups);
    std::vector<Status> statuses(groups);
    in_parallel(groups, 1, [&](std::uint64_t first, std::uint64_t last) {
      statuses[first] = read_row_groups(path, tables, first, last);
    });
    for (const Status& status : statuses) PENSTOCK_TRY(status);
    PENSTOCK_ASSIGN(const auto table, from_arrow(arrow::ConcatenateTables(tables)));
    ArrowColumn column;
    column.column_ = table->column(0);
    return column;
  });
}

std::uint64_t ArrowColumn::row_count() const {
  return static_cast<std::uint64_t>(column_->length());
}

Status ArrowColumn::compare(Device& device, const DeviceArray& array,
                            std::uint64_t first_row) const {
  if (first_row + array.row_count > row_count() || array.offset_bytes == 8)
    return {Code::internal, "more rows or bytes than Arrow reads"};
  DownloadedArray found;
  PENSTOCK_TRY(download_array(device, array, found));
  const auto wanted = column_->Slice(static_cast<std::int64_t>(first_row),
                                     static_cast<std::int64_t>(array.row_count));
  std::uint64_t row = 0;
  for (const auto& part : wanted->chunks())
    for (std::int64_t at = 0; at < part->length(); at++, row++)
      if (!is_equal(*part, at, array, found, row))
        return {Code::internal, "row " + std::to_string(first_row + row) + " is not Arrow's"};
  return {};
}

std::string arrow_reader_name() {
  return "Arrow " ARROW_VERSION_STRING ", " + std::to_string(std::thread::hardware_concurrency()) +
         " threads";
}

}  // namespace penstock::bench
