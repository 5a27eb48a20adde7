// ORDER BY: sorts the rows of a materialised table.
#pragma once
#include <memory>

#include "table/sort/sort_keys.hpp"

namespace penstock::plan {

// From this many rows on the device finds an order. The host finds a smaller one before the device
// has begun.
constexpr std::uint64_t min_device_sort_rows = 1 << 18;

// Returns whether order_rows() may use a device to find the first `limit` rows.
bool sorts_on_device(std::uint64_t row_count, std::uint64_t limit);
// Returns the first `limit` rows in the order of the keys; equal rows keep their order. `device`
// may be null if none is needed. `report` gets the device's part, or a note if its memory is too
// small and the host sorts. `memory_limit_bytes` of that memory may be used (0: all).
Result<Table> order_rows(const std::shared_ptr<Device>& device, const Table& table,
                         const std::vector<SortKey>& keys, std::uint64_t limit, RunReport& report,
                         std::uint64_t memory_limit_bytes = 0);

// Returns the numbers of the first `limit` rows in the order of words, of which there may be none.
// Without a device the host finds them, however many.
Result<std::vector<std::uint64_t>> order_of_keys(const std::shared_ptr<Device>& device,
                                                 const std::vector<NormalizedKey>& words,
                                                 std::uint64_t row_count, std::uint64_t limit,
                                                 RunReport& report,
                                                 std::uint64_t memory_limit_bytes = 0);

}  // namespace penstock::plan
