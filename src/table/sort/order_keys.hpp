// What sorting and merging of rows in device memory have in common.
#pragma once
#include <memory>
#include <optional>

#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// Returns how values of a type are ordered: a number of kernels/order_limits.h.
std::uint32_t order_kind(Type type);

// Whether NULLs have a word of their own, as values of 8 bytes leave no bit of theirs free.
bool has_null_word(const DeviceColumn& column);

// Returns the bit of a value's word that tells NULLs, or a number of kernels/order_limits.h.
std::uint32_t null_shift(const DeviceColumn& column);

// Ends a step whose rows are these. Where it failed, what is enqueued uses memory that ends with
// it, and is waited for. Nothing where memory was too small: another step may take less.
Result<std::optional<DeviceRows>> rows_if_memory_sufficed(Result<DeviceRows> rows, Queue& queue);

}  // namespace penstock::plan
