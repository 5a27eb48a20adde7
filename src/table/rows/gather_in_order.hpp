// Columns of rows in device memory, gathered in an order of these rows.
#pragma once
#include "table/rows/device_rows.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// Some rows of an order: u32, the row at a position.
struct OrderedRows {
  const Buffer& order;
  std::uint64_t first = 0, count = 0;  // positions
};

// Elements are gathered by the widest words that divide their width: the ending of the kernels'
// names, and how many such words.
struct GatheredElements {
  const char* kernel;
  std::uint32_t words;
};
GatheredElements gathered_elements(std::uint32_t width);

// Enqueues the gathering of elements of `width` bytes. `kernels`: of a program that includes
// kernels/order_rows.kc.
Status gather_elements(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                       const Buffer& from, const Buffer& to, std::uint32_t width);
Result<BufferPointer> gather_column(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                                    const Buffer& from, std::uint32_t width);

// Returns `rows` with `move` applied to the values and the validity of each column. It takes a
// buffer and the bytes of its elements.
template <class Move>
Result<DeviceRows> with_columns_moved(const DeviceRows& rows, std::uint64_t row_count,
                                      const Move& move) {
  DeviceRows moved{row_count, {}};
  for (const DeviceColumn& column : rows.columns) {
    DeviceColumn& to = moved.columns.emplace_back(DeviceColumn{column.type, nullptr, nullptr});
    if (column.values) {
      PENSTOCK_ASSIGN(to.values, move(column.values, width_bytes(column.type)));
    }
    if (column.validity) { PENSTOCK_ASSIGN(to.validity, move(column.validity, 1u)); }
  }
  return moved;
}

// Enqueues the gathering of all columns of these rows; the row at position `first` comes first.
Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                                   const DeviceRows& rows);

}  // namespace penstock::plan
