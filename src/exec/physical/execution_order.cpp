// Orders and windows: which rows they are of, and where these are sorted.
#include "device/driver.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "exec/physical/execution.hpp"
#include "exec/window/window_rows.hpp"
#include "table/rows/device_memory.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {

Result<Table> Execution::ordered_rows(StepId id, std::uint64_t row_limit) {
  PENSTOCK_ASSIGN(Chain* const chain, chain_to_sort(id, row_limit));
  if (chain && chain->stays) return rows_sorted_in_place(id, *chain, row_limit);
  PENSTOCK_ASSIGN(const Table input, rows_to_order(id, row_limit));
  return sorted(id, input, row_limit);
}

Result<Table> Execution::sorted(StepId id, const Table& input, std::uint64_t row_limit) {
  if (sorts_on_device(input.row_count, row_limit)) PENSTOCK_TRY(begin_compiling());
  const HostSpan span(recording_.get(), "order by");
  PENSTOCK_ASSIGN(Table ordered, order_rows(device_.get(), input, plan_.step(id).sort_keys,
                                            row_limit, report_, options_.memory_limit_bytes));
  if (options_.validate) PENSTOCK_TRY(validate_order(id, input, row_limit, ordered));
  return ordered;
}

bool is_ordered(const Plan& plan, StepId id) {
  for (StepId at = 0; at < plan.size(); at++)
    if (plan.step(at).kind == StepKind::order_by && plan.step(at).inputs[0] == id) return true;
  return false;
}

// Returns the chain whose rows an order sorts; null where the host has them in any case. Only the
// device tells whether they stay there; a CPU's do not, unless that is asked for.
Result<Chain*> Execution::chain_to_sort(StepId order, std::uint64_t row_limit) {
  const StepId input = plan_.step(order).inputs[0];
  if (options_.validate || has_no_kernel(plan_, input) || !keeps_columns(plan_.step(input).kind) ||
      top_k_of(plan_, order, row_limit, consumers_))
    return nullptr;
  if (options_.intermediate_rows == IntermediateRows::device ||
      device::expects_cuda(options_.device))
    PENSTOCK_TRY(begin_compiling());
  if (!may_stay(input)) return nullptr;
  return chain_of(input, columns_asked_for(input, {}));
}

const std::shared_ptr<DeviceRowSort>& Execution::row_sort() {
  if (!row_sort_) row_sort_ = DeviceRowSort::begin(device_.get());
  if (exchange_) row_merge();  // compiles while rows are sorted
  return row_sort_;
}

DeviceRowMerge& Execution::row_merge() {
  if (!row_merge_) row_merge_ = DeviceRowMerge::begin(device_.get());
  return *row_merge_;
}

// Sorts the rows of a chain where its kernel leaves them. The host sorts what is few, and what does
// not fit.
Result<Table> Execution::rows_sorted_in_place(StepId order, Chain& chain, std::uint64_t row_limit) {
  RowsOnDevice stay;
  stay.kernels = join_kernels();
  stay.limit_bytes = bytes_left_for_sides();
  PENSTOCK_ASSIGN(const Table rows, run_chain(chain, ~std::uint64_t{0}, &stay));
  const bool are_shared = exchange_ && order == results_[0];  // each device has all rows of others
  if (are_shared && !stay.are_there) exchange_->leave(share_number_);
  if (!stay.are_there) return sorted(order, rows, row_limit);
  const Step& step = plan_.step(chain.last);
  const Columns columns = chain.wanted.empty() ? every_column(step.schema) : chain.wanted;
  DeviceRows spread = spread_rows(step.schema, columns, std::move(stay.rows));
  PENSTOCK_ASSIGN(const auto by_ranges,
                  are_shared ? exchange_ranges(order, step, spread, columns)
                             : sort_and_download(order, step, spread, columns, row_limit));
  if (by_ranges) return *by_ranges;
  PENSTOCK_ASSIGN(std::optional<DeviceRows> first, sort_in_place(order, spread, row_limit));
  if (are_shared) PENSTOCK_TRY(exchange_sorted(order, spread, first));
  Table table;
  if (is_next_in_order_) {
    PENSTOCK_ASSIGN(const bool are_joint,
                    download_range(exchange_->joint_rows(), step, first, columns, table));
    if (are_joint) return table;
  }
  PENSTOCK_TRY(download_right_side(step, first ? *first : spread, columns, table));
  return first ? std::move(table) : sorted(order, table, row_limit);
}

// Puts the range that this share has of all shares' rows in place of its own.
Status Execution::exchange_sorted(StepId order, DeviceRows& rows,
                                  std::optional<DeviceRows>& sorted) {
  if (sorted) rows = {};  // frees their memory for the range
  PENSTOCK_ASSIGN(
      std::optional<RowExchange::Range> range,
      exchange_->exchange(share_number_, device_.get(), sorted, plan_.step(order).sort_keys[0],
                          *row_sort(), options_.memory_limit_bytes, report_));
  if (!range) return {};
  sorted.reset();
  is_next_in_order_ = true;
  PENSTOCK_ASSIGN(sorted, merge_in_place(order, *range));
  rows = std::move(range->rows);
  if (!sorted) { PENSTOCK_ASSIGN(sorted, sort_in_place(order, rows, rows.row_count)); }
  return {};
}

bool Execution::fits_order(StepId order, std::uint64_t row_count) {
  const std::uint64_t bytes = row_count * (40 + device_bytes_per_row(plan_.step(order).schema));
  return fits_memory(device_.get()->traits(), options_.memory_limit_bytes, bytes);
}

Result<std::optional<DeviceRows>> Execution::merge_in_place(StepId order,
                                                            const RowExchange::Range& range) {
  if (!fits_order(order, range.rows.row_count)) return std::optional<DeviceRows>();
  const HostSpan span(recording_.get(), "merge runs");
  return row_merge().merge(range.rows, range.run_ends, plan_.step(order).sort_keys, report_);
}

// Downloads the range of this share to where those of all are put together. Returns false where
// each share downloads a table of its own.
Result<bool> Execution::download_range(JointRows& all, const Step& step,
                                       const std::optional<DeviceRows>& range,
                                       const Columns& columns, Table& to) {
  PENSTOCK_ASSIGN(auto joined,
                  all.download(share_number_, *device_.get(), range ? &*range : nullptr, columns));
  if (!joined) return false;
  for (const std::uint32_t column : columns)
    report_.bytes_downloaded += range->row_count * width_bytes(step.schema[column].type);
  Table table;
  table.columns = std::move(*joined);
  table.row_count = table.columns[0].row_count;
  to = spread_columns(step.schema, columns, table);
  return true;
}

Result<std::optional<DeviceRows>> Execution::sort_in_place(StepId order, const DeviceRows& rows,
                                                           std::uint64_t row_limit) {
  if (!sorts_on_device(rows.row_count, rows.row_count) || !fits_order(order, rows.row_count))
    return std::optional<DeviceRows>();
  const HostSpan span(recording_.get(), "order by");
  return row_sort()->sort(rows, plan_.step(order).sort_keys, row_limit, strings_, report_);
}

// Sorts rows by ranges, some of which are downloaded while the next are sorted. Nothing where they
// are few or do not fit. One H200 took 91 ms for 4 GiB when this began, and 114 for all at once
// (docs/lab/sort.md).
Result<std::optional<Table>> Execution::sort_and_download(StepId order, const Step& step,
                                                          const DeviceRows& rows,
                                                          const Columns& columns,
                                                          std::uint64_t row_limit) {
  const std::optional<Table> none;
  Device& device = *device_.get();
  const std::uint64_t piece_rows = rows_of_piece(
      device.traits(), rows.row_count, device_bytes_per_row(step.schema), options_.batch_rows);
  if (columns.empty() || piece_rows == 0 || !sorts_on_device(rows.row_count, rows.row_count) ||
      !fits_order(order, rows.row_count))
    return none;
  const HostSpan span(recording_.get(), "order by");
  Table table;
  table.row_count = std::min(row_limit, rows.row_count);
  PENSTOCK_ASSIGN(const auto memory, allocate_host_columns(device, rows, columns, table.row_count));
  RowsDownload download(device, columns, memory, 0, piece_rows);
  PENSTOCK_ASSIGN(const bool is_done,
                  row_sort()->sort_ranges(rows, plan_.step(order).sort_keys, table.row_count,
                                          piece_rows, strings_, download, report_));
  if (!is_done) return none;
  table.columns = columns_of(memory, table.row_count, strings_);
  for (const std::uint32_t column : columns)
    report_.bytes_downloaded += table.row_count * width_bytes(step.schema[column].type);
  return std::optional(spread_columns(step.schema, columns, table));
}

// Does so with the ranges of this share, which it gets from all shares. Nothing where rows are
// exchanged in another way, or not at all.
Result<std::optional<Table>> Execution::exchange_ranges(StepId order, const Step& step,
                                                        DeviceRows& rows, const Columns& columns) {
  RangeExchange* const ranges = exchange_->ranges();
  if (!ranges || columns.empty()) return std::optional<Table>();
  const HostSpan span(recording_.get(), "order by");
  const bool may_divide = rows.row_count > 0 && rows.row_count <= primitive::max_sort_keys &&
                          fits_order(order, rows.row_count);
  PENSTOCK_ASSIGN(auto sorted, ranges->sort(share_number_, device_.get(), rows, may_divide,
                                            {plan_.step(order).sort_keys, columns,
                                             options_.memory_limit_bytes, options_.batch_rows},
                                            *row_sort(), report_));
  if (!sorted) return std::optional<Table>();
  is_next_in_order_ = true;
  Table table;
  table.columns = std::move(*sorted);
  table.row_count = table.columns[0].row_count;
  for (const std::uint32_t column : columns)
    report_.bytes_downloaded +=
        ranges->rows_of_share(share_number_) * width_bytes(step.schema[column].type);
  return std::optional(spread_columns(step.schema, columns, table));
}

Result<Table> Execution::windowed_rows(const Step& step) {
  PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], ~std::uint64_t{0}));
  if (sorts_on_device(input.row_count, input.row_count)) PENSTOCK_TRY(begin_compiling());
  const HostSpan span(recording_.get(), "window");
  if (options_.validate) PENSTOCK_TRY(validate_window_order(input, step.window));
  PENSTOCK_ASSIGN(Table looked,
                  window_rows(device_.get(), input, step, report_, WindowLocation::automatic,
                              options_.memory_limit_bytes));
  if (options_.validate) PENSTOCK_TRY(check_window(input, step, looked, device_.name()));
  return looked;
}

// Returns all rows, or a few that hold the first ones in their order.
Result<Table> Execution::rows_to_order(StepId order, std::uint64_t row_limit) {
  const StepId input = plan_.step(order).inputs[0];
  const std::optional<TopK> top_k = top_k_of(plan_, order, row_limit, consumers_);
  if (!top_k) return groups_to_order(order, row_limit);
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(input, {}, order, top_k));
  return run_chain(*chain, ~std::uint64_t{0});
}

// Of many groups those that an order has first are found before columns are made of them, also
// where a map on the host is between. Validation looks at all.
Result<Table> Execution::groups_to_order(StepId order, std::uint64_t row_limit) {
  const StepId input = plan_.step(order).inputs[0];
  auto ordered = ordered_groups(plan_, order, row_limit, consumers_);
  if (!ordered || options_.validate) return materialise(input, ~std::uint64_t{0});
  PENSTOCK_ASSIGN(Chain* const chain,
                  chain_of(ordered->groups, columns_asked_for(ordered->groups, {})));
  chain->first_groups = std::move(ordered->first);
  auto table = run_chain(*chain, ~std::uint64_t{0});
  if (!table.ok() || ordered->groups == input) return table;
  const HostSpan span(recording_.get(), "step on the host");
  return apply_on_host(plan_, input, *table);
}

}  // namespace penstock::plan
