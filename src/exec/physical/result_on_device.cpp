#include "exec/physical/result_on_device.hpp"

#include <utility>

namespace penstock::plan {
namespace {

// Kernels write truths as bytes, and NULLs apart: neither is an array that others read.
bool may_stay(const DeviceColumn& column) {
  const Type type = column.type;
  return column.values && !column.validity && (is_integer(type) || is_float(type));
}

}  // namespace

Result<Table> result_on_device(RunState& run, StepId step, Operator& root) {
  PENSTOCK_TRY(run.open_device());  // CUDA's may still be opening
  const std::uint64_t limit_bytes = run.bytes_left_for_sides();
  PENSTOCK_ASSIGN(Rows rows, root.run({.device_bytes = limit_bytes}));
  PENSTOCK_ASSIGN(auto there, device_table(run, step, rows, limit_bytes));
  if (!there) return rows_here(run, step, std::move(rows));
  const DeviceRows all =
      spread_rows(run.plan.step(step).schema, there->columns, std::move(there->rows));
  Columns to_host, kept;
  for (std::uint32_t i = 0; i < all.columns.size(); i++)
    (may_stay(all.columns[i]) ? kept : to_host).push_back(i);
  PENSTOCK_ASSIGN(Table table, run.download(run.plan.step(step), all, to_host));
  for (const std::uint32_t i : kept) {
    table.columns[i] = {};
    table.columns[i].type = all.columns[i].type;
    table.columns[i].row_count = all.row_count;
    table.columns[i].device_values = all.columns[i].values;
  }
  return table;
}

}  // namespace penstock::plan
