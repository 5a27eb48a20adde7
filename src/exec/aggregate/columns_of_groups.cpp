// The groups of a table as columns: keys, results, accumulators.
#include <algorithm>
#include <cstring>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "column/concatenate.hpp"
#include "exec/aggregate/group_table.hpp"
#include "exec/aggregate/partial_columns.hpp"
#include "table/strings/written_column.hpp"

namespace penstock::plan {
namespace {

// Rows of a column that are made at once: their values stay in a core's cache.
constexpr std::uint64_t slice_rows = 1 << 12;

template <std::size_t width, class Place>
LargeVector<std::byte> bytes_of_width(std::span<const std::uint64_t> groups,
                                      const Place& place_of) {
  LargeVector<std::byte> bytes(groups.size() * width);
  for (std::size_t row = 0; row < groups.size(); row++)
    std::memcpy(bytes.data() + row * width, place_of(groups[row]), width);
  return bytes;
}

// Returns the low bytes of a value of each group: numbers are little endian.
template <class Place>
LargeVector<std::byte> low_bytes(std::size_t width, std::span<const std::uint64_t> groups,
                                 const Place& place_of) {
  switch (width) {
    case 1: return bytes_of_width<1>(groups, place_of);
    case 2: return bytes_of_width<2>(groups, place_of);
    case 4: return bytes_of_width<4>(groups, place_of);
    case 8: return bytes_of_width<8>(groups, place_of);
    default: break;
  }
  return bytes_of_width<16>(groups, place_of);
}

// Makes a column of such values, with zeroes for NULLs.
template <class IsValid>
void set_values(Column& column, std::span<const std::uint64_t> groups, LargeVector<std::byte> bytes,
                const IsValid& is_valid) {
  const std::size_t width = groups.empty() ? 0 : bytes.size() / groups.size();
  if (!std::ranges::all_of(groups, is_valid)) {
    for (std::size_t row = 0; row < groups.size(); row++)
      if (!is_valid(groups[row])) std::memset(bytes.data() + row * width, 0, width);
    column.validity =
        column::make_bits(groups.size(), [&](std::uint64_t row) { return is_valid(groups[row]); });
  }
  column.values = Bytes::own(std::move(bytes));
}

}  // namespace

Column GroupTable::key_slice(std::size_t i, Groups groups) const {
  Column column;
  column.type = layout_.key_type(i);
  column.row_count = groups.size();
  const auto is_valid = [&](std::uint64_t group) { return !layout_.is_null(row(group), i); };
  if (column.type.kind != Kind::boolean) {
    set_values(column, groups,
               low_bytes(width_bytes(column.type), groups,
                         [&](std::uint64_t group) { return layout_.key(row(group)) + i; }),
               is_valid);
    return column;
  }
  column.values = column::make_bits(groups.size(), [&](std::uint64_t place) {
    return is_valid(groups[place]) && layout_.key(row(groups[place]))[i] != 0;
  });
  if (!std::ranges::all_of(groups, is_valid))
    column.validity = column::make_bits(
        groups.size(), [&](std::uint64_t place) { return is_valid(groups[place]); });
  return column;
}

Column GroupTable::text_keys(std::size_t i, Groups groups) const {
  Column column;
  column.type = layout_.key_type(i);
  column.row_count = groups.size();
  const auto is_valid = [&](std::uint64_t group) { return !layout_.is_null(row(group), i); };
  if (!std::ranges::all_of(groups, is_valid))
    column.validity = column::make_bits(
        groups.size(), [&](std::uint64_t place) { return is_valid(groups[place]); });
  LargeVector<std::uint32_t> codes(groups.size());
  for_rows(groups.size(), [&](std::uint64_t place) {
    codes[place] = static_cast<std::uint32_t>(layout_.key(row(groups[place]))[i]);
  });
  return column_of_codes(std::move(column), codes.data(),
                         [&](std::uint32_t code) { return layout_.text_of_key(i, code); });
}

Column GroupTable::key_column(std::size_t i, Groups groups) const {
  if (layout_.key_type(i).kind == Kind::string) return text_keys(i, groups);
  return in_slices(groups, [&](Groups some) { return key_slice(i, some); });
}

// Sums, counts and extremes of integers are the low bytes of an accumulator. A Scalar for each took
// half of the time of finishing groups.
std::optional<Column> GroupTable::integer_slice(std::size_t i, Groups groups) const {
  const AggregateResult& result = program_.results[i];
  const Accumulator& a = program_.accumulators[result.accumulator];
  const Finish finish = row_of(result.function).finish;
  const Kind kind = result.type.kind;
  const bool counts = finish == Finish::counts, is_sum = finish == Finish::sum && is_exact_sum(a),
             is_value = finish == Finish::value && is_extreme(a) && !result.ranked &&
                        kind != Kind::string && kind != Kind::boolean && a.type == result.type;
  if ((!counts && !is_sum && !is_value) || is_float(result.type)) return std::nullopt;
  Column column;
  column.type = program_.schema[program_.key_count + i].type;
  column.row_count = groups.size();
  const std::uint32_t from = counts ? result.count : result.accumulator;
  set_values(
      column, groups,
      low_bytes(width_bytes(column.type), groups,
                [&](std::uint64_t group) { return layout_.partials(row(group)).data() + from; }),
      [&](std::uint64_t group) {
        return counts || layout_.partials(row(group))[result.count] != 0;
      });
  return column;
}

Column GroupTable::result_slice(std::size_t i, Groups groups) const {
  if (auto integers = integer_slice(i, groups)) return *std::move(integers);
  std::vector<Scalar> values;
  values.reserve(groups.size());
  for (const std::uint64_t group : groups) {
    const AggregateResult& result = program_.results[i];
    Scalar& value = values.emplace_back(result_of(program_, result, layout_.partials(row(group))));
    if (value.type.kind == Kind::string && !value.is_null)
      value.text =
          layout_.strings.text(program_, result, static_cast<std::uint32_t>(value.integer));
  }
  return column_of(program_.schema[program_.key_count + i].type, values);
}

Column GroupTable::partial_slice(std::size_t i, Groups groups) const {
  Column column;
  column.type = type_of_partials(program_.accumulators[i]);
  column.row_count = groups.size();
  column.values = Bytes::own(low_bytes(width_bytes(column.type), groups, [&](std::uint64_t group) {
    return layout_.partials(row(group)).data() + i;
  }));
  return column;
}

// Makes a column of some groups by several threads.
Column GroupTable::in_slices(Groups groups, const std::function<Column(Groups)>& make_slice) {
  if (groups.size() <= slice_rows) return make_slice(groups);
  const std::uint64_t slices = (groups.size() + slice_rows - 1) / slice_rows;
  std::vector<Column> parts(slices);
  in_parallel(slices, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t slice = begin; slice < end; slice++) {
      const std::size_t first = slice * slice_rows;
      parts[slice] = make_slice(groups.subspan(first, std::min(groups.size() - first, slice_rows)));
    }
  });
  return column::concatenate(parts[0].type, parts);
}

Column GroupTable::column_of_groups(std::uint32_t c, Groups groups) const {
  if (c < program_.key_count) return key_column(c, groups);
  return in_slices(groups, [&](Groups some) { return result_slice(c - program_.key_count, some); });
}

}  // namespace penstock::plan
