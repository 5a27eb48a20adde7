#include "ranks/wire/table_bytes.hpp"

#include <algorithm>

#include "expr/type_names.hpp"

namespace penstock::ranks {
namespace {

std::uint64_t bits_bytes(std::uint64_t count) { return (count + 7) / 8; }

std::uint64_t last_offset(const Column& column) {
  if (column.row_count == 0 || column.offsets.empty()) return 0;
  return column.offset_bytes == 8
             ? static_cast<std::uint64_t>(column.offsets.as<std::int64_t>()[column.row_count])
             : static_cast<std::uint64_t>(column.offsets.as<std::int32_t>()[column.row_count]);
}

bool has_offsets(const Column& column) {
  return column.type.kind == Kind::string && !column.dictionary;
}

std::uint64_t bytes_of_values(const Column& column) {
  if (has_offsets(column)) return last_offset(column);
  if (column.type.kind == Kind::boolean) return bits_bytes(column.row_count);
  return column.row_count * width_bytes(column.type);
}

void put_column(WireWriter& to, const Column& column) {
  to.put(column.type.kind), to.put(column.type.precision), to.put(column.type.scale);
  to.put(column.type.logical != LogicalType::none);
  if (column.type.logical != LogicalType::none) to.put_text(name_of(column.type));
  to.put(column.row_count);
  const bool has_validity = column.row_count > 0 && !column.validity.empty();
  to.put(has_validity);
  if (has_validity) to.put_bytes(column.validity.data, bits_bytes(column.row_count));
  to.put(column.dictionary != nullptr);
  if (column.dictionary) put_column(to, *column.dictionary);
  to.put(column.offset_bytes);
  if (has_offsets(column) && column.row_count > 0)
    to.put_bytes(column.offsets.data, (column.row_count + 1) * column.offset_bytes);
  if (const std::uint64_t bytes = bytes_of_values(column)) to.put_bytes(column.values.data, bytes);
}

Status not_a_table(const char* what) {
  return {Code::internal, std::string("a message of another rank has ") + what};
}

Status check_type(const Type& type) {
  if (type.kind > Kind::int128) return not_a_table("a column of no known type");
  const bool is_decimal = type.kind == Kind::decimal;
  if (is_decimal && (type.precision < 1 || type.precision > 38 || type.scale > type.precision))
    return not_a_table("decimals of no known precision");
  return {};
}

// Offsets grow from 0 on or more. The last one is how many bytes there are.
template <class Offset> bool do_offsets_grow(const Column& column) {
  const auto* const offsets = column.offsets.as<Offset>();
  return offsets[0] >= 0 && std::is_sorted(offsets, offsets + column.row_count + 1);
}

Status check_offsets(const Column& column) {
  if (column.row_count == 0) return {};
  const bool do_grow = column.offset_bytes == 8 ? do_offsets_grow<std::int64_t>(column)
                                                : do_offsets_grow<std::int32_t>(column);
  return do_grow ? Status() : not_a_table("strings outside of their bytes");
}

// Codes of NULLs are not looked up.
Status check_codes(const Column& column) {
  const std::uint64_t strings = column.dictionary->row_count;
  const auto* const codes = column.values.as<std::int32_t>();
  for (std::uint64_t row = 0; row < column.row_count; row++)
    if (column.is_valid(row) &&
        (codes[row] < 0 || static_cast<std::uint64_t>(codes[row]) >= strings))
      return not_a_table("codes outside of their dictionary");
  return {};
}

// Values of 16 bytes are aligned as they are wherever vectors of bytes are.
Bytes get_owned(WireReader& from, std::uint64_t size) {
  const std::byte* bytes = from.get_bytes(size);
  return bytes ? Bytes::own(MessageBytes(bytes, bytes + size)) : Bytes();
}

Status get_offsets(WireReader& from, Column& column) {
  if (!has_offsets(column)) return {};
  if (column.row_count == 0) {
    column.offsets = Bytes::own(std::vector<std::int64_t>{0});
    column.offset_bytes = 8;
    return {};
  }
  if (column.offset_bytes != 4 && column.offset_bytes != 8)
    return not_a_table("offsets of another width");
  column.offsets = get_owned(from, (column.row_count + 1) * column.offset_bytes);
  PENSTOCK_TRY(from.status());
  return check_offsets(column);
}

// Rows take a bit each at least, so that sizes of columns that pass are far below 64 bits.
Status get_shape(WireReader& from, Column& column) {
  column.type.kind = from.get<Kind>();
  column.type.precision = from.get<std::uint8_t>();
  column.type.scale = from.get<std::uint8_t>();
  if (from.get<bool>()) {
    const std::optional<Type> logical = expr::type_of_text(from.get_text());
    if (logical && logical->kind != column.type.kind) return not_a_table("a column of two types");
    column.type = logical.value_or(column.type);
  }
  column.row_count = from.get<std::uint64_t>();
  PENSTOCK_TRY(from.status());
  PENSTOCK_TRY(check_type(column.type));
  return column.row_count / 8 > from.rest_bytes() ? not_a_table("fewer values than rows")
                                                  : Status();
}

// A dictionary has none itself.
Result<Column> get_column(WireReader& from, bool is_dictionary) {
  Column column;
  PENSTOCK_TRY(get_shape(from, column));
  if (from.get<bool>()) column.validity = get_owned(from, bits_bytes(column.row_count));
  if (from.get<bool>()) {
    if (is_dictionary || column.type.kind != Kind::string)
      return not_a_table("a dictionary of no column of strings");
    PENSTOCK_ASSIGN(Column dictionary, get_column(from, true));
    if (dictionary.type.kind != Kind::string) return not_a_table("a dictionary without strings");
    column.dictionary = std::make_shared<const Column>(std::move(dictionary));
  }
  column.offset_bytes = from.get<std::uint32_t>();
  PENSTOCK_TRY(get_offsets(from, column));
  column.values = get_owned(from, bytes_of_values(column));
  PENSTOCK_TRY(from.status());
  if (column.dictionary) PENSTOCK_TRY(check_codes(column));
  return column;
}

}  // namespace

Status put_table(WireWriter& to, const Table& table) {
  to.put(table.row_count);
  to.put<std::uint64_t>(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); i++) {
    to.put_text(table.names[i]);
    PENSTOCK_ASSIGN(const Column plain, decoded(table.columns[i]));
    put_column(to, plain);
  }
  return {};
}

Result<Table> get_table(WireReader& from) {
  Table table;
  table.row_count = from.get<std::uint64_t>();
  const std::uint64_t count = from.get_count();
  for (std::uint64_t i = 0; i < count; i++) {
    table.names.push_back(from.get_text());
    PENSTOCK_ASSIGN(table.columns.emplace_back(), get_column(from, false));
    if (table.columns.back().row_count != table.row_count)
      return not_a_table("a column with more or fewer rows than its table");
  }
  PENSTOCK_TRY(from.status());
  return table;
}

}  // namespace penstock::ranks
