#include "plan/aggregate/partial_columns.hpp"

#include <cstring>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

// The type of a column that holds an accumulator's bits.
Type stored_type(const Accumulator& a) {
  switch (a.kind) {
    case AccumulatorKind::count:
    case AccumulatorKind::sum_i64:
    case AccumulatorKind::sum_i128: return {Kind::int128};
    case AccumulatorKind::sum_f64: return {Kind::float64};
    case AccumulatorKind::minimum:
    case AccumulatorKind::maximum:
    case AccumulatorKind::custom: break;
  }
  return a.type.kind == Kind::boolean ? Type{Kind::uint8} : a.type;
}

bool is_extended_by_sign(Type type) {
  return !is_float(type) && (!is_integer(type) || is_signed(type));
}

// Reads a value of `width` bytes.
Partial bits_at(const std::byte* from, std::size_t width, bool extends_sign) {
  Partial value = 0;
  std::memcpy(&value, from, width);  // little endian: the low bytes
  if (!extends_sign || width == sizeof value) return value;
  const auto shift = static_cast<unsigned>(128 - 8 * width);
  return static_cast<Partial>(static_cast<unsigned __int128>(value) << shift) >> shift;
}

// Calls take(row, bits) for every row of a column of fixed width.
template <class Take> void for_each_value(const Column& column, const Take& take) {
  const std::size_t width = width_bytes(column.type);
  const bool extends_sign = is_extended_by_sign(column.type);
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      take(row, bits_at(column.values.data + row * width, width, extends_sign));
  });
}

}  // namespace

Column column_of_partials(const Accumulator& accumulator, std::span<const Partial> partials) {
  Column column;
  column.type = stored_type(accumulator);
  column.row_count = partials.size();
  const std::size_t width = width_bytes(column.type);
  std::vector<std::byte> bytes(partials.size() * width);
  for (std::size_t row = 0; row < partials.size(); row++)
    std::memcpy(bytes.data() + row * width, &partials[row], width);
  column.values = Bytes::own(std::move(bytes));
  return column;
}

Status for_each_partial(const Accumulator& accumulator, const Column& column,
                        std::uint64_t row_count,
                        const std::function<void(std::uint64_t row, Partial partial)>& take) {
  if (column.type != stored_type(accumulator) || column.row_count != row_count)
    return {Code::internal, "an accumulator of another type or length"};
  for_each_value(column, take);
  return {};
}

std::vector<std::uint64_t> key_words_of(const Column& column, StringPool& strings) {
  std::vector<std::uint64_t> words(column.row_count);
  if (column.type.kind == Kind::string) {
    for (std::uint64_t row = 0; row < column.row_count; row++)
      words[row] = column.is_valid(row) ? strings.code(column.string(row)) : 0;
    return words;
  }
  if (column.type.kind == Kind::boolean) {
    for (std::uint64_t row = 0; row < column.row_count; row++)
      words[row] = column.is_valid(row) && scalar_at(column, row).integer != 0;
    return words;
  }
  for_each_value(column, [&](std::uint64_t row, Partial bits) {
    words[row] = column.is_valid(row) ? static_cast<std::uint64_t>(bits) : 0;
  });
  return words;
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

Table one_row(const TileProgram& program, std::span<const Partial> partials) {
  Table table;
  table.row_count = 1;
  for (std::size_t i = 0; i < program.results.size(); i++) {
    const Scalar value = result_of(program, program.results[i], partials);
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
    std::vector<Partial> partials;
    for (std::size_t i = 0; i < merged.size(); i++) {
      PENSTOCK_TRY(
          for_each_partial(program.accumulators[i], row.columns[i], 1,
                           [&](std::uint64_t, Partial partial) { partials.push_back(partial); }));
    }
    if (!merge(program, merged, std::span<const Partial>(partials))) return sum_too_large();
  }
  return one_row(program, merged);
}

}  // namespace penstock::plan
