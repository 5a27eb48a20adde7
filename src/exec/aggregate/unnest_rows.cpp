#include "exec/aggregate/unnest_rows.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "column/nested/nested_column.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

// The elements of all lists of a column, one list behind another.
struct Elements {
  std::vector<std::int64_t> offsets;
  Column values;

  explicit Elements(const Column& lists) {
    column::NestedColumn rows = column::unpack(lists);
    offsets = std::move(rows.offsets);
    const column::NestedColumn& child = rows.children[0];
    values = is_nested(child.type) ? column::pack(child) : child.leaf;
  }
  std::uint64_t count(std::uint64_t row) const {
    return static_cast<std::uint64_t>(offsets[row + 1] - offsets[row]);
  }
};

std::vector<std::uint64_t> longest_counts(const std::vector<Elements>& lists, std::uint64_t rows) {
  std::vector<std::uint64_t> counts(rows, 0);
  for (const Elements& list : lists)
    for (std::uint64_t row = 0; row < rows; row++)
      counts[row] = std::max(counts[row], list.count(row));
  return counts;
}

std::vector<std::uint64_t> repeated_rows(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> rows;
  for_wanted_rows(0, counts.size(),
                  [&](std::uint64_t row) { rows.insert(rows.end(), counts[row], row); });
  return rows;
}

// A shorter list ends in NULLs.
Column padded(const Elements& list, const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> rows;
  for_wanted_rows(0, counts.size(), [&](std::uint64_t row) {
    const auto first = static_cast<std::uint64_t>(list.offsets[row]);
    for (std::uint64_t i = 0; i < counts[row]; i++)
      rows.push_back(i < list.count(row) ? first + i : no_row);
  });
  if (list.values.row_count == 0)
    return column_of(list.values.type,
                     std::vector<Scalar>(rows.size(), Scalar::null_of(list.values.type)));
  return gather_or_null(list.values, std::move(rows));
}

Column numbers(const std::vector<std::uint64_t>& counts) {
  std::vector<std::int64_t> places;
  for (const std::uint64_t count : counts)
    for (std::uint64_t i = 1; i <= count; i++) places.push_back(static_cast<std::int64_t>(i));
  return Column::from(std::move(places));
}

}  // namespace

Result<Table> unnest_rows(const Step& step, const Table& input) {
  const Unnesting& unnesting = step.unnesting;
  std::vector<Elements> lists;
  for (const std::uint32_t column : unnesting.lists) lists.emplace_back(input.columns[column]);
  const std::vector<std::uint64_t> counts = longest_counts(lists, input.row_count);
  const std::vector<std::uint64_t> rows = repeated_rows(counts);
  Table table;
  table.row_count = rows.size();
  for (const Field& field : step.schema) table.names.push_back(field.name);
  for (const std::uint32_t column : unnesting.kept)
    table.columns.push_back(gather(input.columns[column], rows));
  for (const Elements& list : lists)
    table.columns.push_back(lists.size() == 1 ? list.values : padded(list, counts));
  if (unnesting.is_numbered) table.columns.push_back(numbers(counts));
  return table;
}

}  // namespace penstock::plan
