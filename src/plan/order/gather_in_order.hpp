// Columns of rows in device memory, gathered in an order of these rows.
#pragma once
#include "plan/join/device_rows.hpp"
#include "plan/rows/row_kernels.hpp"

namespace penstock::plan {

// Enqueues the gathering of the first `count` rows of an order: u32, the row at a position.
// `kernels`: of a program that includes kernels/order_rows.kc.
Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const Buffer& order,
                                   const DeviceRows& rows, std::uint64_t count);

}  // namespace penstock::plan
