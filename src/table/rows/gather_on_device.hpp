// Columns in device memory, gathered by number, and as kernels read them.
#pragma once
#include <vector>

#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// Appends a column's values, and its validity if it may be NULL, as kernels read them: truths and
// presence in bits.
Status add_column(RowKernels& kernels, Queue& queue, const DeviceColumn& column,
                  std::uint64_t row_count, bool is_nullable, std::vector<BufferPointer>& buffers);

// The numbers of rows, or codes, by which elements are gathered. `present`: a byte for each, 0 if
// the row is absent; null if all are present.
struct GatherNumbers {
  std::uint64_t count = 0;
  BufferPointer numbers, present;
};
// Returns elements of so many bytes: 1, 2 or a multiple of 4.
Result<BufferPointer> gather_on_device(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                                       const Buffer& from, std::uint64_t width);

}  // namespace penstock::plan
