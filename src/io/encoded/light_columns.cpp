#include "io/encoded/light_columns.hpp"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/array_run_end.h>

#include "codec/light/host/encode_block.hpp"
#include "codec/light/light_column.hpp"
#include "column/bits.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/encoded/encoded_buffers.hpp"

namespace penstock::io {
namespace {

constexpr std::string_view light_name = "penstock.light", light_version = "1 ",
                           child_name = "values";

std::shared_ptr<arrow::DataType> storage_type() {
  return arrow::struct_({arrow::field(
      std::string(child_name), arrow::run_end_encoded(arrow::int32(), arrow::large_binary()))});
}

// Returns the type that Arrow's format string names; unsupported where it names none of ours, or
// timestamps of another unit, which a plain column would convert.
Field field_of_format(const std::string& format) {
  using column::ArrowLayout;
  ArrowSchema schema{};
  schema.format = format.c_str();
  schema.name = "";
  column::ArrowField named = column::field_of(schema);
  if (named.layout == ArrowLayout::seconds || named.layout == ArrowLayout::milliseconds ||
      named.layout == ArrowLayout::nanoseconds)
    named.field.unsupported = std::string(light_name) + " of Arrow format '" + format + "'";
  return named.field;
}

std::shared_ptr<arrow::Array> run_of(const Bytes& block, std::int64_t row_count) {
  const auto end = std::make_shared<arrow::Int32Array>(
      1, buffer_of(Bytes::own(std::vector<std::int32_t>{static_cast<std::int32_t>(row_count)})));
  const auto value = std::make_shared<arrow::LargeBinaryArray>(
      1, buffer_of(Bytes::own(std::vector<std::int64_t>{0, static_cast<std::int64_t>(block.size)})),
      buffer_of(block));
  return std::make_shared<arrow::RunEndEncodedArray>(
      arrow::run_end_encoded(arrow::int32(), arrow::large_binary()), row_count, end, value);
}

std::shared_ptr<arrow::Array> no_run() {
  return std::make_shared<arrow::RunEndEncodedArray>(
      arrow::run_end_encoded(arrow::int32(), arrow::large_binary()), 0,
      std::make_shared<arrow::Int32Array>(0, buffer_of(Bytes::own(std::vector<std::int32_t>(1)))),
      std::make_shared<arrow::LargeBinaryArray>(
          0, buffer_of(Bytes::own(std::vector<std::int64_t>(1))), nullptr));
}

Result<light::Block> block_of_array(const std::shared_ptr<arrow::Array>& array, Type type) {
  const auto& rows = static_cast<const arrow::StructArray&>(*array);
  const auto runs = std::static_pointer_cast<arrow::RunEndEncodedArray>(rows.field(0));
  const auto values = std::static_pointer_cast<arrow::LargeBinaryArray>(runs->values());
  if (array->length() == 0) {
    Column empty;
    empty.type = type;
    return light::encode(empty, {});
  }
  if (values->length() != 1 || runs->offset() != 0 || values->IsNull(0))
    return Status(Code::corrupt,
                  "a record batch of " + std::to_string(values->length()) +
                      " light encodings instead of one; a program that does not know them may have "
                      "cut or joined the rows");
  const std::string_view bytes = values->GetView(0);
  return light::Block::open(part_of(values, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                    static_cast<std::int64_t>(bytes.size())),
                            type, static_cast<std::uint64_t>(array->length()));
}

}  // namespace

bool take_light_field(const arrow::Field& field, column::ArrowField& to) {
  if (value_of(field.metadata().get(), extension_name_key) != light_name) return false;
  const std::string text = value_of(field.metadata().get(), extension_metadata_key);
  if (!field.type()->Equals(*storage_type())) return false;
  if (!text.starts_with(light_version)) {
    to.field.unsupported = std::string(light_name) + " of version '" + text + "'";
    return true;
  }
  const Field named = field_of_format(text.substr(light_version.size()));
  to.field.type = named.type;
  to.field.unsupported = named.unsupported;
  if (named.unsupported.empty() && light::stored_bits(named.type) == 0)
    to.field.unsupported = std::string(light_name) + " of " + name_of(named.type);
  to.field.is_encoded = to.field.unsupported.empty();
  to.layout = column::ArrowLayout::light;
  return true;
}

std::shared_ptr<arrow::Field> light_field(const Field& field) {
  Column column;
  column.type = field.type;
  return arrow::field(
      field.name, storage_type(), field.nullable,
      arrow::key_value_metadata(
          {std::string(extension_name_key), std::string(extension_metadata_key)},
          {std::string(light_name),
           std::string(light_version) + column::format_of(column.type, column.offset_bytes)}));
}

std::shared_ptr<arrow::Array> light_array(const light::Block& block, const Bytes& validity) {
  const auto rows = static_cast<std::int64_t>(block.row_count());
  const std::uint64_t present =
      validity.empty() ? block.row_count() : column::count_ones(validity.data, block.row_count());
  const auto child = rows == 0 ? no_run() : run_of(block.bytes(), rows);
  return std::make_shared<arrow::StructArray>(storage_type(), rows, arrow::ArrayVector{child},
                                              validity.empty() ? nullptr : buffer_of(validity),
                                              rows - static_cast<std::int64_t>(present));
}

Result<Column> import_light(const std::shared_ptr<arrow::Array>& array, Type type,
                            bool keeps_encoded) {
  PENSTOCK_ASSIGN(light::Block block, block_of_array(array, type));
  Bytes validity = validity_of(array);
  if (keeps_encoded) return light::light_column(std::move(block), std::move(validity));
  Column column = block.decode();
  column.validity = std::move(validity);
  return column;
}

}  // namespace penstock::io
