#include "penstock/column.hpp"

#include "column/bits.hpp"
#include "column/column_builders.hpp"

namespace penstock {
namespace {

std::uint64_t offset_at(const Column& column, std::uint64_t row) {
  return column.offset_bytes == 8
             ? static_cast<std::uint64_t>(column.offsets.as<std::int64_t>()[row])
             : static_cast<std::uint32_t>(column.offsets.as<std::int32_t>()[row]);
}

Bytes part(const Bytes& bytes, std::uint64_t first, std::uint64_t size) {
  return bytes.empty() ? Bytes{} : Bytes{bytes.owner, bytes.data + first, size};
}

// Returns a column of one string per row. A null pointer is a missing value.
Column strings_of(std::size_t row_count, auto text_of) {
  Column column;
  column.type = {Kind::string};
  column.row_count = row_count;
  column::StringBuilder strings(row_count);
  for (std::size_t row = 0; row < row_count; row++) {
    const std::string* text = text_of(row);
    strings.push(text ? *text : std::string_view());
  }
  strings.take(column);
  return column;
}

}  // namespace

Bytes Bytes::own(std::vector<std::byte> bytes) { return own<std::byte>(std::move(bytes)); }

std::string_view Column::string(std::uint64_t row) const {
  if (dictionary)
    return dictionary->string(static_cast<std::uint64_t>(values.as<std::int32_t>()[row]));
  const std::uint64_t first = offset_at(*this, row);
  return {values.as<char>() + first, offset_at(*this, row + 1) - first};
}

Column Column::slice(std::uint64_t first, std::uint64_t count) const {
  Column slice = *this;
  if (first == 0 && count == row_count) return slice;
  slice.row_count = count;
  slice.validity = column::slice_bits(validity, first, count);
  slice.device_values = slice.device_validity =
      nullptr;  // device memory is not sliced; the host's copy, where kept, is
  if (encoded) {
    slice.encoded = encoded->slice(first, count);
  } else if (type.kind == Kind::boolean) {
    slice.values = column::slice_bits(values, first, count);
  } else if (type.kind == Kind::string && !dictionary) {
    slice.offsets = part(offsets, first * offset_bytes, (count + 1) * offset_bytes);
  } else {
    const std::uint64_t width = width_bytes(type);
    slice.values = part(values, first * width, count * width);
  }
  return slice;
}

Result<Column> decoded(const Column& column) {
  if (!column.encoded) return column;
  PENSTOCK_ASSIGN(Column strings, column.encoded->decode());
  strings.validity = column.validity;
  return strings;
}

Column Column::from_booleans(const std::vector<bool>& values) {
  std::vector<std::uint8_t> bits(column::bytes_of_bits(values.size()));
  for (std::size_t i = 0; i < values.size(); i++)
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | values[i] << (i % 8));
  Column column;
  column.type = {Kind::boolean};
  column.row_count = values.size();
  column.values = Bytes::own(std::move(bits));
  return column;
}

Column Column::from_strings(const std::vector<std::string>& values) {
  return strings_of(values.size(), [&](std::size_t row) { return &values[row]; });
}

Column Column::from_strings(const std::vector<std::optional<std::string>>& values) {
  std::vector<std::uint8_t> bits(column::bytes_of_bits(values.size()));
  for (std::size_t i = 0; i < values.size(); i++)
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | values[i].has_value() << (i % 8));
  Column column = strings_of(
      values.size(), [&](std::size_t row) { return values[row] ? &*values[row] : nullptr; });
  column.validity = Bytes::own(std::move(bits));
  return column;
}

}  // namespace penstock
