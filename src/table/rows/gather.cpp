#include "table/rows/gather.hpp"

#include <cstring>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "column/column_builders.hpp"
#include "penstock/expression.hpp"

namespace penstock::plan {
namespace {

template <class Value>
void gather_words(const std::byte* from, std::span<const std::uint64_t> rows, std::byte* to) {
  in_parallel(rows.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      std::memcpy(to + i * sizeof(Value), from + rows[i] * sizeof(Value), sizeof(Value));
  });
}

void gather_bytes(const std::byte* from, std::size_t width, std::span<const std::uint64_t> rows,
                  std::byte* to) {
  if (width == 4) return gather_words<std::uint32_t>(from, rows, to);
  if (width == 8) return gather_words<std::uint64_t>(from, rows, to);
  for (std::size_t i = 0; i < rows.size(); i++)
    std::memcpy(to + i * width, from + rows[i] * width, width);
}

// A few rows take their strings: what reads them next would look at the whole dictionary.
bool keeps_dictionary(const Column& from, std::uint64_t row_count) {
  return from.dictionary && from.dictionary->row_count <= row_count;
}

void gather_values(const Column& from, std::span<const std::uint64_t> rows, Column& to) {
  if (from.type.kind == Kind::boolean) {
    column::BitBuilder bits;
    for (std::uint64_t row : rows) bits.push(from.boolean(row));
    to.values = bits.take();
  } else if (from.type.kind == Kind::string && !keeps_dictionary(from, rows.size())) {
    column::StringBuilder strings(rows.size());
    for (std::uint64_t row : rows) strings.push_row(from, row);
    strings.take(to);
  } else {
    const std::size_t width = from.dictionary ? 4 : width_bytes(from.type);
    LargeVector<std::byte> bytes(rows.size() * width);
    gather_bytes(from.values.data, width, rows, bytes.data());
    to.values = Bytes::own(std::move(bytes));
    to.dictionary = from.dictionary;
  }
}

Bytes gather_validity(const Column& column, std::span<const std::uint64_t> rows) {
  if (column.validity.empty()) return {};
  column::BitBuilder validity;
  for (std::uint64_t row : rows) validity.push(column.is_valid(row));
  return validity.take();
}

}  // namespace

Column gather(const Column& column, std::span<const std::uint64_t> rows) {
  Column result;
  result.type = column.type;
  result.row_count = rows.size();
  gather_values(column, rows, result);
  result.validity = gather_validity(column, rows);
  return result;
}

Result<Column> gather_decoded(const Column& column, std::span<const std::uint64_t> rows) {
  if (!column.encoded) return gather(column, rows);
  PENSTOCK_ASSIGN(Column strings, column.encoded->decode_rows(rows));
  strings.validity = gather_validity(column, rows);
  return strings;
}

Column gather_or_null(const Column& column, std::vector<std::uint64_t> rows) {
  column::BitBuilder validity;
  for (std::uint64_t& row : rows) {
    validity.push(row != no_row && column.is_valid(row));
    if (row == no_row) row = 0;
  }
  Column without_nulls = column;
  without_nulls.validity = {};
  if (column.type.kind == Kind::string)
    without_nulls.validity = column.validity;  // a NULL string has no offsets
  Column result = gather(without_nulls, rows);
  result.validity = validity.take();
  return result;
}

Column gather_found(const Column& column, std::span<const std::uint32_t> rows) {
  if (column.row_count == 0)
    return column_of(column.type, std::vector<Scalar>(rows.size(), Scalar::null_of(column.type)));
  std::vector<std::uint64_t> wide(rows.begin(), rows.end());
  bool all_found = true;
  for (std::uint64_t& row : wide) {
    if (row < column.row_count) continue;
    row = no_row;
    all_found = false;
  }
  return all_found ? gather(column, wide) : gather_or_null(column, std::move(wide));
}

Table gather(const Table& table, std::span<const std::uint64_t> rows) {
  Table result{table.names, {}, rows.size()};
  for (const Column& column : table.columns) result.columns.push_back(gather(column, rows));
  return result;
}

}  // namespace penstock::plan
