#include "table/rows/gather.hpp"

#include <atomic>
#include <cstring>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "column/set_texts.hpp"
#include "penstock/expression.hpp"

namespace penstock::plan {
namespace {

template <class Value>
void gather_words(const std::byte* from, std::span<const std::uint64_t> rows, std::byte* to) {
  for_rows(rows.size(), [&](std::uint64_t i) {
    std::memcpy(to + i * sizeof(Value), from + rows[i] * sizeof(Value), sizeof(Value));
  });
}

void gather_bytes(const std::byte* from, std::size_t width, std::span<const std::uint64_t> rows,
                  std::byte* to) {
  switch (width) {
    case 1: return gather_words<std::uint8_t>(from, rows, to);
    case 2: return gather_words<std::uint16_t>(from, rows, to);
    case 4: return gather_words<std::uint32_t>(from, rows, to);
    case 8: return gather_words<std::uint64_t>(from, rows, to);
    default: return gather_words<Int128>(from, rows, to);
  }
}

// A few rows take their strings: what reads them next would look at the whole dictionary.
bool keeps_dictionary(const Column& from, std::uint64_t row_count) {
  return from.dictionary && from.dictionary->row_count <= row_count;
}

void gather_values(const Column& from, std::span<const std::uint64_t> rows, Column& to) {
  if (from.type.kind == Kind::boolean) {
    to.values =
        column::make_bits(rows.size(), [&](std::uint64_t i) { return from.boolean(rows[i]); });
  } else if (from.type.kind == Kind::string && !keeps_dictionary(from, rows.size())) {
    column::set_texts(to, [&](std::uint64_t i) {
      return from.is_valid(rows[i]) ? from.string(rows[i]) : std::string_view();
    });
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
  return column::make_bits(rows.size(), [&](std::uint64_t i) { return column.is_valid(rows[i]); });
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
  Bytes validity = column::make_bits(
      rows.size(), [&](std::uint64_t i) { return rows[i] != no_row && column.is_valid(rows[i]); });
  for_rows(rows.size(), [&](std::uint64_t i) {
    if (rows[i] == no_row) rows[i] = 0;
  });
  Column without_nulls = column;
  without_nulls.validity = {};
  if (column.type.kind == Kind::string)
    without_nulls.validity = column.validity;  // a NULL string has no offsets
  Column result = gather(without_nulls, rows);
  result.validity = std::move(validity);
  return result;
}

Column gather_found(const Column& column, std::span<const std::uint32_t> rows) {
  if (column.row_count == 0)
    return column_of(column.type, std::vector<Scalar>(rows.size(), Scalar::null_of(column.type)));
  std::vector<std::uint64_t> wide(rows.size());
  std::atomic<bool> all_found = true;
  for_rows(rows.size(), [&](std::uint64_t i) {
    const bool is_found = rows[i] < column.row_count;
    wide[i] = is_found ? rows[i] : no_row;
    if (!is_found) all_found.store(false, std::memory_order_relaxed);
  });
  return all_found ? gather(column, wide) : gather_or_null(column, std::move(wide));
}

Table gather(const Table& table, std::span<const std::uint64_t> rows) {
  Table result{table.names, {}, rows.size()};
  for (const Column& column : table.columns) result.columns.push_back(gather(column, rows));
  return result;
}

}  // namespace penstock::plan
