// An ORDER BY on several devices: each gets a range of all sorted rows.
#include <utility>

#include "exec/physical/sort_operator.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

// Sorts the ranges that this share gets from all shares. Returns nothing where rows are exchanged
// in another way, or not at all.
Result<std::optional<Table>> SortOperator::exchange_ranges(DeviceRows& rows,
                                                           const Columns& columns) {
  RangeExchange* const ranges = run_.share.sorted_rows->ranges();
  if (!ranges || columns.empty()) return std::optional<Table>();
  const HostSpan span(run_.recorder(), "order by");
  const bool may_divide = rows.row_count > 0 && rows.row_count <= primitive::max_sort_keys &&
                          fits_memory_of_device(rows.row_count);
  PENSTOCK_ASSIGN(auto sorted, ranges->sort(run_.share.number, run_.device(), rows, may_divide,
                                            {keys(), columns, run_.options.memory_limit_bytes,
                                             run_.options.batch_rows},
                                            row_sort(), run_.report));
  if (!sorted) return std::optional<Table>();
  run_.is_next_in_order = true;
  Table table;
  table.columns = std::move(*sorted);
  table.row_count = table.columns[0].row_count;
  for (const std::uint32_t column : columns)
    run_.report.bytes_downloaded +=
        ranges->rows_of_share(run_.share.number) * width_bytes(step().schema[column].type);
  return std::optional(spread_columns(step().schema, columns, table));
}

// Puts the range that this share has of all rows in place of its own rows.
Status SortOperator::exchange_runs(DeviceRows& rows, std::optional<DeviceRows>& own) {
  if (own) rows = {};  // frees their memory for the range
  PENSTOCK_ASSIGN(
      std::optional<RowExchange::Range> range,
      run_.share.sorted_rows->exchange(run_.share.number, run_.device(), own, keys()[0], row_sort(),
                                       run_.options.memory_limit_bytes, run_.report));
  if (!range) return {};
  own.reset();
  run_.is_next_in_order = true;
  PENSTOCK_ASSIGN(own, merged(*range));
  rows = std::move(range->rows);
  if (!own) { PENSTOCK_ASSIGN(own, sorted(rows, rows.row_count)); }
  return {};
}

Result<std::optional<DeviceRows>> SortOperator::merged(const RowExchange::Range& range) {
  if (!fits_memory_of_device(range.rows.row_count)) return std::optional<DeviceRows>();
  const HostSpan span(run_.recorder(), "merge runs");
  return row_merge().merge(range.rows, range.run_ends, keys(), run_.report);
}

}  // namespace penstock::plan
