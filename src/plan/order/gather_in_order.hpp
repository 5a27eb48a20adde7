// Columns of rows in device memory, gathered in an order of these rows.
#pragma once
#include "plan/join/device_rows.hpp"
#include "plan/rows/row_kernels.hpp"

namespace penstock::plan {

// Some rows of an order: u32, the row at a position.
struct OrderedRows {
  const Buffer& order;
  std::uint64_t first = 0, count = 0;  // positions
};

// Enqueues the gathering of elements of `width` bytes. `kernels`: of a program that includes
// kernels/order_rows.kc.
Status gather_elements(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                       const Buffer& from, const Buffer& to, std::uint32_t width);
// Enqueues the gathering of the first `count` rows.
Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const Buffer& order,
                                   const DeviceRows& rows, std::uint64_t count);

}  // namespace penstock::plan
