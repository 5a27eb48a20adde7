#include "exec/aggregate/partial_columns.hpp"

#include <cstring>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

bool is_extended_by_sign(Type type) {
  return !is_float(type) && (!is_integer(type) || is_signed(type));
}

// Reads a value of `width` bytes.
template <std::size_t width> Partial bits_at(const std::byte* from, bool extends_sign) {
  Partial value = 0;
  std::memcpy(&value, from, width);  // little endian: the low bytes
  if (!extends_sign || width == sizeof value) return value;
  constexpr auto shift = static_cast<unsigned>(128 - 8 * width);
  return static_cast<Partial>(static_cast<unsigned __int128>(value) << shift % 128) >> shift % 128;
}

// Calls take(row, bits) for every row of a column of fixed width.
template <std::size_t width, class Take>
void for_each_of_width(const Column& column, const Take& take) {
  const bool extends_sign = is_extended_by_sign(column.type);
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      take(row, bits_at<width>(column.values.data + row * width, extends_sign));
  });
}
template <class Take> void for_each_value(const Column& column, const Take& take) {
  switch (width_bytes(column.type)) {
    case 1: return for_each_of_width<1>(column, take);
    case 2: return for_each_of_width<2>(column, take);
    case 4: return for_each_of_width<4>(column, take);
    case 8: return for_each_of_width<8>(column, take);
    default: return for_each_of_width<16>(column, take);
  }
}

// 0 for NULL.
void store_key_words(const Column& column, const CodeOfText& code_of, std::uint64_t* to,
                     std::size_t stride) {
  const bool is_boolean = column.type.kind == Kind::boolean;
  if (column.type.kind != Kind::string && !is_boolean)
    return for_each_value(column, [&](std::uint64_t row, Partial bits) {
      to[row * stride] = column.is_valid(row) ? static_cast<std::uint64_t>(bits) : 0;
    });
  for (std::uint64_t row = 0; row < column.row_count; row++)
    to[row * stride] = !column.is_valid(row) ? 0
                       : is_boolean          ? column.boolean(row)
                                             : code_of(column.string(row));
}

}  // namespace

Type type_of_partials(const Accumulator& a) {
  if (is_exact_sum(a)) return {Kind::int128};
  if (is_rounded_sum(a)) return {Kind::float64};
  return a.type.kind == Kind::boolean ? Type{Kind::uint8} : a.type;
}

Column column_of_partials(const Accumulator& accumulator, std::span<const Partial> partials) {
  Column column;
  column.type = type_of_partials(accumulator);
  column.row_count = partials.size();
  const std::size_t width = width_bytes(column.type);
  std::vector<std::byte> bytes(partials.size() * width);
  for (std::size_t row = 0; row < partials.size(); row++)
    std::memcpy(bytes.data() + row * width, &partials[row], width);
  column.values = Bytes::own(std::move(bytes));
  return column;
}

Status store_partials(const Accumulator& accumulator, const Column& column, std::uint64_t row_count,
                      std::uint64_t* to, std::size_t stride) {
  if (column.type != type_of_partials(accumulator) || column.row_count != row_count)
    return {Code::internal, "an accumulator of another type or length"};
  for_each_value(column, [=](std::uint64_t row, Partial bits) {
    std::memcpy(to + row * stride, &bits, sizeof bits);
  });
  return {};
}

void store_key(const Column& column, KeyPlace place, const CodeOfText& code_of, std::uint64_t* rows,
               std::size_t stride) {
  store_key_words(column, code_of, rows + place.key, stride);
  if (column.validity.empty()) return;
  std::uint64_t* const null_words = rows + place.key_count + place.key / 64;
  const std::uint64_t null_bit = std::uint64_t{1} << (place.key % 64);
  for (std::uint64_t row = 0; row < column.row_count; row++)
    if (!column.is_valid(row)) null_words[row * stride] |= null_bit;
}

Table partials_as_row(const TileProgram& program, std::span<const Partial> partials) {
  Table row;
  row.row_count = 1;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    row.names.push_back("accumulator " + std::to_string(i));
    row.columns.push_back(column_of_partials(program.accumulators[i], partials.subspan(i, 1)));
  }
  return row;
}

Result<Table> one_row(const TileProgram& program, std::span<const Partial> partials,
                      const ProgramStrings* strings) {
  PENSTOCK_TRY(check_shifted_sums(program, partials));
  Table table;
  table.row_count = 1;
  for (std::size_t i = 0; i < program.results.size(); i++) {
    Scalar value = result_of(program, program.results[i], partials);
    if (strings && program.results[i].ranked && !value.is_null)
      value.text =
          strings->text(program, program.results[i], static_cast<std::uint32_t>(value.integer));
    table.names.push_back(program.schema[i].name);
    table.columns.push_back(column_of(program.schema[i].type, std::span(&value, 1)));
  }
  return table;
}

Result<Table> merge_rows_of_partials(const TileProgram& program, std::span<const Table> rows) {
  std::vector<Partial> merged(program.accumulators.size());
  clear(program, merged);
  for (const Table& row : rows) {
    if (row.row_count != 1 || row.columns.size() != merged.size())
      return Status(Code::internal, "partial aggregates of another program");
    std::vector<Partial> partials(merged.size());
    for (std::size_t i = 0; i < merged.size(); i++) {
      std::uint64_t words[2];
      PENSTOCK_TRY(store_partials(program.accumulators[i], row.columns[i], 1, words, 2));
      std::memcpy(&partials[i], words, sizeof words);
    }
    if (!merge(program, merged, std::span<const Partial>(partials))) return sum_too_large();
  }
  return one_row(program, merged);
}

}  // namespace penstock::plan
