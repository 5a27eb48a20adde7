// Rows that find no partner need not be read. Files are often ordered by a date, or nearly so: the
// keys of the days that a filter keeps leave out most row groups of a table of sales.
#include <algorithm>
#include <optional>
#include <utility>

#include "exec/physical/scan_operator.hpp"
#include "penstock/expression.hpp"

namespace penstock::plan {
namespace {

// Keys are read in every run. A larger side is taken to leave out few rows.
constexpr std::uint64_t max_keys = 1 << 17;
// So many keys are sorted, to find the gaps between them.
constexpr std::size_t max_sorted_keys = 1 << 12;
// Each row group and page is compared with every range.
constexpr std::size_t max_ranges = 256;

// A column that nothing reads is without values.
bool has_ranges(const Column& column, std::uint64_t row_count) {
  const Kind kind = column.type.kind;
  const bool is_counted = is_integer(column.type) || kind == Kind::date32 ||
                          kind == Kind::timestamp || kind == Kind::decimal;
  return is_counted && width_bytes(column.type) <= 8 && row_count <= max_keys &&
         column.row_count == row_count && !column.encoded &&
         (row_count == 0 || !column.values.empty());
}

using Range = std::pair<Int128, Int128>;

std::vector<Range> ranges_of(std::vector<Int128> keys) {
  const auto [least, greatest] = std::ranges::minmax(keys);
  const std::vector<Range> whole = {{least, greatest}};
  if (keys.size() > max_sorted_keys) return whole;
  std::ranges::sort(keys);
  std::vector<Range> ranges = {{keys[0], keys[0]}};
  for (const Int128 key : keys) {
    if (key > ranges.back().second + 1) ranges.push_back({key, key});
    ranges.back().second = key;
  }
  return ranges.size() > max_ranges ? whole : ranges;
}

// Returns no range where a column has no values.
std::vector<std::pair<Scalar, Scalar>> ranges_of(const Column& column) {
  std::vector<Int128> keys;
  for (std::uint64_t row = 0; row < column.row_count; row++)
    if (column.is_valid(row)) keys.push_back(scalar_at(column, row).integer);
  std::vector<std::pair<Scalar, Scalar>> ranges;
  if (keys.empty()) return ranges;
  for (const auto& [least, greatest] : ranges_of(std::move(keys)))
    ranges.emplace_back(Scalar::of(column.type, least), Scalar::of(column.type, greatest));
  return ranges;
}

}  // namespace

// Returns what is known of right sides on the host; nothing before they are there, and nothing for
// a source without records of its rows.
Result<std::vector<JoinedValues>> ScanOperator::joined_values(const TableSource& source) const {
  std::vector<JoinedValues> all;
  const std::vector<Lookup>& lookups = programs_[0].lookups;
  if (!base_source() || lookups.empty()) return all;
  PENSTOCK_ASSIGN(const auto recorded, source.select_rows({}));
  for (std::size_t i = 0; i < lookups.size() && recorded; i++) {
    const auto side = run_.sides.find(lookups[i].step);
    if (side == run_.sides.end() || side->second->buckets || side->second->on_device) continue;
    const Table& right = side->second->rows;
    const std::vector<JoinKey>& keys = run_.plan.step(lookups[i].step).join_keys;
    for (std::size_t key = 0; key < keys.size(); key++) {
      const Column& column = right.columns[keys[key].right];
      if (can_use_values(programs_[0], i, key) && has_ranges(column, right.row_count))
        all.push_back({i, key, ranges_of(column)});
    }
  }
  return all;
}

}  // namespace penstock::plan
