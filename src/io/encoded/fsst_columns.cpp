#include "io/encoded/fsst_columns.hpp"

#include <arrow/array/array_binary.h>

#include "codec/fsst/format/encoded_column.hpp"
#include "codec/fsst/format/fsst_record.hpp"
#include "column/bits.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/encoded/base64.hpp"
#include "io/encoded/encoded_buffers.hpp"

namespace penstock::io {
namespace {

// The second was written for columns with splits, which are skipped.
constexpr std::string_view fsst_name = "penstock.fsst", gsst_name = "penstock.gsst",
                           format_version = "1";

template <class Array>
void take_buffers(const std::shared_ptr<arrow::Array>& array, fsst::EncodedStrings& strings) {
  using Offset = typename Array::offset_type;
  const auto& binary = static_cast<const Array&>(*array);
  strings.offset_bytes = sizeof(Offset);
  const auto* const offsets = reinterpret_cast<const std::uint8_t*>(binary.raw_value_offsets());
  const std::int64_t offset_bytes =
      (array->length() + 1) * static_cast<std::int64_t>(sizeof(Offset));
  if (offsets == nullptr) {  // without rows a writer may omit the single offset
    strings.offsets = Bytes::own(std::vector<Offset>(1));
  } else if (reinterpret_cast<std::uintptr_t>(offsets) % sizeof(Offset) == 0) {
    strings.offsets = part_of(array, offsets, offset_bytes);
  } else {
    strings.offsets = Bytes::own(
        std::vector<std::byte>(reinterpret_cast<const std::byte*>(offsets),
                               reinterpret_cast<const std::byte*>(offsets) + offset_bytes));
  }
  const auto& data = binary.value_data();
  if (data) strings.codes = part_of(array, data->data(), data->size());
}

template <class Array> Status check_utf8(const Column& texts) {
  const Array array(static_cast<std::int64_t>(texts.row_count), buffer_of(texts.offsets),
                    buffer_of(texts.values),
                    texts.validity.empty() ? nullptr : buffer_of(texts.validity));
  return from_arrow(array.ValidateUTF8());
}

}  // namespace

bool take_fsst_field(const arrow::Field& field, column::ArrowField& to) {
  const std::string name = value_of(field.metadata().get(), extension_name_key);
  if (name != fsst_name && name != gsst_name) return false;
  if (field.type()->id() != arrow::Type::BINARY && field.type()->id() != arrow::Type::LARGE_BINARY)
    return false;
  const std::string version = value_of(field.metadata().get(), extension_metadata_key);
  to.field.unsupported = version == format_version ? "" : name + " of version '" + version + "'";
  to.field.type = {Kind::string};
  to.field.is_encoded = to.field.unsupported.empty();
  to.layout = column::ArrowLayout::fsst;
  return true;
}

std::shared_ptr<arrow::Field> fsst_field(const std::string& name, bool is_nullable) {
  return arrow::field(name, arrow::binary(), is_nullable,
                      arrow::key_value_metadata(
                          {std::string(extension_name_key), std::string(extension_metadata_key)},
                          {std::string(fsst_name), std::string(format_version)}));
}

std::string fsst_record_key(const std::string& column_name) {
  return "penstock.fsst:" + column_name;
}

Result<std::shared_ptr<arrow::Array>> fsst_array(const fsst::EncodedStrings& strings) {
  if (strings.offset_bytes != 4)
    return Status(Code::capacity, "more than 2^31 bytes of codes in a record batch");
  const auto rows = static_cast<std::int64_t>(strings.row_count);
  const std::uint64_t present = strings.validity.empty()
                                    ? strings.row_count
                                    : column::count_ones(strings.validity.data, strings.row_count);
  return std::static_pointer_cast<arrow::Array>(std::make_shared<arrow::BinaryArray>(
      rows, buffer_of(strings.offsets), buffer_of(strings.codes),
      strings.validity.empty() ? nullptr : buffer_of(strings.validity),
      rows - static_cast<std::int64_t>(present)));
}

Result<std::string> fsst_record_text(const fsst::EncodedStrings& strings) {
  PENSTOCK_ASSIGN(const auto record, fsst::write_record(strings));
  return encode_base64(record);
}

Result<fsst::EncodedStrings> fsst_strings(const std::shared_ptr<arrow::Array>& array,
                                          const std::string& column_name,
                                          const arrow::KeyValueMetadata* metadata) {
  fsst::EncodedStrings strings;
  strings.row_count = static_cast<std::uint64_t>(array->length());
  if (array->type_id() == arrow::Type::LARGE_BINARY)
    take_buffers<arrow::LargeBinaryArray>(array, strings);
  else
    take_buffers<arrow::BinaryArray>(array, strings);
  strings.validity = validity_of(array);
  const std::string text = value_of(metadata, fsst_record_key(column_name));
  if (text.empty())
    return Status(Code::corrupt,
                  "a record batch without its symbol tables; a program that does not know them "
                  "wrote the file anew");
  const auto record = decode_base64(text);
  if (!record) return Status(Code::corrupt, "the record of the symbol tables is not base64");
  PENSTOCK_TRY(fsst::read_record(std::as_bytes(std::span(*record)), strings));
  return strings;
}

static Status check_strings(const Column& texts) {
  return texts.offset_bytes == 8 ? check_utf8<arrow::LargeStringArray>(texts)
                                 : check_utf8<arrow::StringArray>(texts);
}

Result<Column> decode_fsst(const fsst::EncodedStrings& strings) {
  PENSTOCK_ASSIGN(Column texts, fsst::decode(strings));
  PENSTOCK_TRY(check_strings(texts));
  return texts;
}

Result<Column> keep_fsst(fsst::EncodedStrings strings) {
  return fsst::encoded_column(std::move(strings), check_strings);
}

}  // namespace penstock::io
