#include "table/sort/sort_rows.hpp"

#include <algorithm>

#include "primitive/radix_sort.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/device_order.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

// The bytes of a row: a word, keys and rows twice, and the sort's published counts.
constexpr std::uint64_t bytes_per_row = 40;

}  // namespace

// A few of many rows are selected in one pass over them. More rows than a sort takes are sorted on
// the host.
bool sorts_on_device(std::uint64_t row_count, std::uint64_t limit) {
  return row_count >= min_device_sort_rows && row_count <= primitive::max_sort_keys &&
         limit > row_count / 16;
}

Result<Table> order_rows(const std::shared_ptr<Device>& device, const Table& table,
                         const std::vector<SortKey>& keys, std::uint64_t limit, RunReport& report,
                         std::uint64_t memory_limit_bytes) {
  if (!device || !sorts_on_device(table.row_count, limit))
    return gather(table, order_on_host(table, keys, limit));
  PENSTOCK_ASSIGN(const std::vector<std::uint64_t> rows,
                  order_of_keys(device, normalized_keys(table, keys), table.row_count, limit,
                                report, memory_limit_bytes));
  return gather(table, rows);
}

Result<std::vector<std::uint64_t>> order_of_keys(const std::shared_ptr<Device>& device,
                                                 const std::vector<NormalizedKey>& words,
                                                 std::uint64_t row_count, std::uint64_t limit,
                                                 RunReport& report,
                                                 std::uint64_t memory_limit_bytes) {
  if (!device || !sorts_on_device(row_count, limit)) return order_on_host(words, row_count, limit);
  if (!fits_memory(device->traits(), memory_limit_bytes, row_count * bytes_per_row)) {
    note_memory_limit(report, device->traits(), memory_limit_bytes, "sort", row_count,
                      row_count * bytes_per_row);
    return order_on_host(words, row_count, limit);
  }
  const Result<DeviceOrder> order = DeviceOrder::find(device, words, row_count, false, report);
  if (!order.ok() && order.status().code() == Code::no_memory) {  // other steps use the memory
    note_on_host(report, "sort", row_count, order.status().message());
    return order_on_host(words, row_count, limit);
  }
  PENSTOCK_TRY(order);
  PENSTOCK_ASSIGN(std::vector<std::uint64_t> rows, order->download(report));
  rows.resize(std::min<std::uint64_t>(limit, rows.size()));
  return rows;
}

}  // namespace penstock::plan
