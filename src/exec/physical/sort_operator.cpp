#include "exec/physical/sort_operator.hpp"

#include <algorithm>
#include <utility>

#include "exec/physical/joint_rows_operator.hpp"
#include "table/rows/device_memory.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {

std::string SortOperator::name() const {
  std::string text = "sort";
  if (inputs_.in_place) text += " in device memory";
  if (row_limit_ != ~std::uint64_t{0}) text += ", the first " + std::to_string(row_limit_);
  return text;
}

bool SortOperator::is_shared() const { return run_.share.sorted_rows && order_ == run_.results[0]; }

bool SortOperator::fits_memory_of_device(std::uint64_t row_count) const {
  const std::uint64_t bytes = row_count * (40 + device_bytes_per_row(step().schema));
  return fits_memory(run_.device()->traits(), run_.options.memory_limit_bytes, bytes);
}

bool SortOperator::is_for_device(std::uint64_t row_count) const {
  return sorts_on_device(row_count, row_count) && fits_memory_of_device(row_count);
}

DeviceRowSort& SortOperator::row_sort() {
  if (!row_sort_) row_sort_ = DeviceRowSort::begin(run_.device());
  if (run_.share.sorted_rows) row_merge();  // compiles while rows are sorted
  return *row_sort_;
}

DeviceRowMerge& SortOperator::row_merge() {
  if (!row_merge_) row_merge_ = DeviceRowMerge::begin(run_.device());
  return *row_merge_;
}

// Rows that do not stay on the device have come to the host.
Result<Rows> SortOperator::run(const RowsWanted&) {
  if (!inputs_.in_place) {
    PENSTOCK_ASSIGN(const Table rows, inputs_.rows->run_to_host());
    return sort_on_host(rows);
  }
  PENSTOCK_TRY(inputs_.in_place->read_ahead());
  PENSTOCK_TRY(run_.open_device());
  PENSTOCK_ASSIGN(Rows rows, inputs_.in_place->run({run_.bytes_left_for_sides()}));
  if (auto* const there = std::get_if<DeviceTable>(&rows)) return sort_in_place(std::move(*there));
  if (is_shared()) run_.share.sorted_rows->leave(run_.share.number);
  return sort_on_host(std::get<Table>(rows));
}

Result<Rows> SortOperator::sort_on_host(const Table& input) {
  if (sorts_on_device(input.row_count, row_limit_)) PENSTOCK_TRY(run_.open_device());
  const HostSpan span(run_.recorder(), "order by");
  PENSTOCK_ASSIGN(Table ordered, order_rows(run_.device(), input, keys(), row_limit_, run_.report,
                                            run_.options.memory_limit_bytes));
  if (run_.options.validate)
    PENSTOCK_TRY(inputs_.first ? inputs_.first->check_first(keys(), row_limit_, ordered)
                               : check_order(input, keys(), ordered, run_.opener.name()));
  return Rows(std::move(ordered));
}

// The host sorts what is few, and what does not fit.
Result<Rows> SortOperator::sort_in_place(DeviceTable there) {
  DeviceRows rows = spread_rows(step().schema, there.columns, std::move(there.rows));
  PENSTOCK_ASSIGN(auto by_ranges, is_shared() ? exchange_ranges(rows, there.columns)
                                              : sort_by_ranges(rows, there.columns));
  if (by_ranges) return Rows(std::move(*by_ranges));
  PENSTOCK_ASSIGN(std::optional<DeviceRows> first, sorted(rows, row_limit_));
  if (is_shared()) PENSTOCK_TRY(exchange_runs(rows, first));
  if (run_.is_next_in_order) {
    PENSTOCK_ASSIGN(auto joint, download_joint(run_, run_.share.sorted_rows->joint_rows(), step(),
                                               first, there.columns));
    if (joint) return Rows(std::move(*joint));
  }
  PENSTOCK_ASSIGN(Table table, run_.download(step(), first ? *first : rows, there.columns));
  return first ? Rows(std::move(table)) : sort_on_host(table);
}

Result<std::optional<DeviceRows>> SortOperator::sorted(const DeviceRows& rows,
                                                       std::uint64_t row_limit) {
  if (!is_for_device(rows.row_count)) return std::optional<DeviceRows>();
  const HostSpan span(run_.recorder(), "order by");
  return row_sort().sort(rows, keys(), row_limit, run_.strings, run_.report);
}

// Sorts rows by ranges, and downloads some of them while the next are sorted. Returns nothing where
// they are few or do not fit. One H200 took 91 ms for 4 GiB when this began, and 114 for all at
// once (docs/lab/sort.md).
Result<std::optional<Table>> SortOperator::sort_by_ranges(const DeviceRows& rows,
                                                          const Columns& columns) {
  Device& device = *run_.device();
  const std::uint64_t piece_rows =
      rows_of_piece(device.traits(), rows.row_count, device_bytes_per_row(step().schema),
                    run_.options.batch_rows);
  if (columns.empty() || piece_rows == 0 || !is_for_device(rows.row_count))
    return std::optional<Table>();
  const HostSpan span(run_.recorder(), "order by");
  Table table;
  table.row_count = std::min(row_limit_, rows.row_count);
  PENSTOCK_ASSIGN(const auto memory, allocate_host_columns(device, rows, columns, table.row_count));
  RowsDownload download(device, columns, memory, 0, piece_rows);
  PENSTOCK_ASSIGN(const bool is_done,
                  row_sort().sort_ranges(rows, keys(), table.row_count, piece_rows, run_.strings,
                                         download, run_.report));
  if (!is_done) return std::optional<Table>();
  table.columns = columns_of(memory, table.row_count, run_.strings);
  for (const std::uint32_t column : columns)
    run_.report.bytes_downloaded += table.row_count * width_bytes(step().schema[column].type);
  return std::optional(spread_columns(step().schema, columns, table));
}

}  // namespace penstock::plan
