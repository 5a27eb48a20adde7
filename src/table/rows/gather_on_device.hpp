// Columns in device memory, gathered by number (kernels/gather.kc), and as kernels read them.
#pragma once
#include <vector>

#include "table/rows/device_rows.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// Appends a column's values, and its validity if it may be NULL, as kernels read them: truths and
// presence in bits.
Status add_column(RowKernels& kernels, Queue& queue, const DeviceColumn& column,
                  std::uint64_t row_count, bool is_nullable, std::vector<BufferPointer>& buffers);

// The numbers, u32, by which rows are gathered: `count` of them, from `first` on. They are rows in
// an order, or codes. `present`: a byte for each of `count`, 0 if the row is absent; null if all
// are present.
struct GatherNumbers {
  std::uint64_t count = 0;
  BufferPointer numbers, present = {};
  std::uint64_t first = 0;
};
// Enqueues the gathering of elements of `width` bytes. `kernels`: of a program that includes
// kernels/gather.kc.
Status gather_elements(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                       const Buffer& from, const Buffer& to, std::uint32_t width);
// Allocates what elements are gathered to.
Result<BufferPointer> gather_column(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
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

// Enqueues the gathering of all columns of these rows.
Result<DeviceRows> gather_rows(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                               const DeviceRows& rows);

}  // namespace penstock::plan
