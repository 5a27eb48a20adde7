#include "exec/window/window_there.hpp"

#include <algorithm>

#include "exec/window/device_window.hpp"
#include "primitive/radix_sort.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"
#include "table/sort/device_row_sort.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t bytes_per_row_of_window = 140;  // as DeviceWindow::bytes_of(), and a sort's

// The rows with columns for keys after the others, as halves of 128 bits; and the keys of the sort.
struct RowsToSort {
  DeviceRows rows;
  std::vector<SortKey> keys;
};

std::vector<SortKey> keys_of(const Window& window) {
  std::vector<SortKey> keys;
  for (const std::uint32_t column : window.partition) keys.push_back({column, false, false});
  keys.insert(keys.end(), window.order.begin(), window.order.end());
  return keys;
}

// Partitions have no order among one another: their strings are sorted by codes.
Result<RowsToSort> rows_to_sort(const std::shared_ptr<Device>& device, const DeviceRows& rows,
                                const std::vector<SortKey>& keys, std::size_t partition_keys) {
  RowsToSort sorted{rows, {}};
  RowKernels kernels = kernels_of_words(device, 32);
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  const FinishAtEnd finish(*queue);
  for (SortKey key : keys) {
    const DeviceColumn column = rows.columns[key.column];
    if (column.type.kind == Kind::string && sorted.keys.size() < partition_keys) {
      key.column = static_cast<std::uint32_t>(sorted.rows.columns.size());
      sorted.keys.push_back(key);
      sorted.rows.columns.push_back({{Kind::uint32}, column.values, column.validity});
      continue;
    }
    if (width_bytes(column.type) <= 8) {
      sorted.keys.push_back(key);
      continue;
    }
    DeviceColumn low{{Kind::uint64}, nullptr, nullptr}, high{{Kind::int64}, nullptr, nullptr};
    PENSTOCK_ASSIGN(low.values, device->allocate(rows.row_count * 8));
    PENSTOCK_ASSIGN(high.values, device->allocate(rows.row_count * 8));
    low.validity = high.validity = column.validity;
    PENSTOCK_TRY(kernels.launch(*queue, "window_halves", rows.row_count,
                                {{Argument::of(*column.values), Argument::of(*low.values),
                                  Argument::of(*high.values), Argument::value(rows.row_count)}}));
    for (DeviceColumn* const half : {&high, &low}) {
      key.column = static_cast<std::uint32_t>(sorted.rows.columns.size());
      sorted.keys.push_back(key);
      sorted.rows.columns.push_back(std::move(*half));
    }
  }
  return sorted;
}

// Returns the rows in order, without these columns.
Result<std::optional<DeviceRows>> in_order(const std::shared_ptr<Device>& device,
                                           const DeviceRows& rows, const Window& window,
                                           const StringPool& strings, RunReport& report) {
  const std::vector<SortKey> keys = keys_of(window);
  if (keys.empty()) return std::optional(rows);
  PENSTOCK_ASSIGN(const RowsToSort to_sort,
                  rows_to_sort(device, rows, keys, window.partition.size()));
  PENSTOCK_ASSIGN(auto sorted, DeviceRowSort::begin(device)->sort(to_sort.rows, to_sort.keys,
                                                                  rows.row_count, strings, report));
  if (sorted) sorted->columns.resize(rows.columns.size());
  return sorted;
}

Result<DeviceRows> with_calls(const std::shared_ptr<Device>& device, DeviceRows rows,
                              const Step& step, RunReport& report) {
  Columns keys;
  for (const SortKey& key : keys_of(step.window)) keys.push_back(key.column);
  PENSTOCK_ASSIGN(DeviceWindow window,
                  DeviceWindow::over(device, rows, keys, step.window.partition.size(), report));
  std::vector<DeviceColumn> results;
  for (const WindowCall& call : step.window.calls) {
    const Type type = step.schema[rows.columns.size() + results.size()].type;
    PENSTOCK_ASSIGN(results.emplace_back(), window.device_column(call, type));
  }
  window.add_to(report);
  for (DeviceColumn& result : results) rows.columns.push_back(std::move(result));
  return rows;
}

}  // namespace

bool takes_window_there(const Traits& traits, const Schema& input, const Window& window) {
  return std::ranges::all_of(window.calls, [&](const WindowCall& call) {
    return DeviceWindow::takes_there(traits, call, input[call.column].type);
  });
}

Result<std::optional<DeviceRows>> window_there(const std::shared_ptr<Device>& device,
                                               const DeviceRows& rows, const Step& step,
                                               const StringPool& strings,
                                               std::uint64_t memory_limit_bytes,
                                               RunReport& report) {
  const std::optional<DeviceRows> none;
  const std::uint64_t bytes = bytes_on_device(rows) + rows.row_count * bytes_per_row_of_window;
  if (rows.row_count == 0 || rows.row_count > primitive::max_sort_keys ||
      !fits_memory(device->traits(), memory_limit_bytes, bytes))
    return none;
  PENSTOCK_ASSIGN(auto sorted, in_order(device, rows, step.window, strings, report));
  if (!sorted) return none;
  auto windows = with_calls(device, std::move(*sorted), step, report);
  if (windows.status().code() == Code::no_memory) return none;
  PENSTOCK_TRY(windows.status());
  return std::optional(std::move(*windows));
}

}  // namespace penstock::plan
