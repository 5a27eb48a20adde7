// Shared by sorting and merging of rows in device memory.
#pragma once
#include <memory>
#include <optional>

#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// Returns the order of a type's values: a number of kernels/order_limits.h.
std::uint32_t order_kind(Type type);

// Returns whether NULLs have a word of their own, as values of 8 bytes leave no bit free.
bool has_null_word(const DeviceColumn& column);

// Returns the bit of a value's word that tells NULLs, or a number of kernels/order_limits.h.
std::uint32_t null_shift(const DeviceColumn& column);

// Ends a step that made these rows. If it failed, waits for the enqueued work: that uses memory
// which ends with the step. Returns nothing if memory was too small: another step may take less.
Result<std::optional<DeviceRows>> rows_if_memory_sufficed(Result<DeviceRows> rows, Queue& queue);

}  // namespace penstock::plan
