// Error messages for corrupt columns on a device, equal to validate()'s: row group, row, byte and
// error. Kernels report only a row. The host then downloads the data part by part and checks it
// again. These functions wait, and are called only after an error.
#pragma once
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// Checks the row that a kernel reported in `bad_row` (fsst_tables.kc). Returns ok and releases
// `strings` if it is 0. Returns "row 7: its codes are corrupt" if no
// error is found by then.
Status check_bad_row(Queue& queue, DeviceStrings& strings, std::uint32_t bad_row);

// Checks all rows and the sizes of row groups. `string_offsets`: row_count + 1 given u64 offsets
// that the strings must fit, or null.
Status check_column(Queue& queue, const DeviceStrings& strings, const Buffer* string_offsets);

}  // namespace penstock::fsst
