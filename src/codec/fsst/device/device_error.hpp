// Errors of columns on a device in the words that validate() has for columns of the host: row
// group, row, byte and what is wrong. Kernels tell a row and no more; what they read is
// download_strings, piece by piece, and looked at here. These wait, once something is known to be
// wrong.
#pragma once
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// Of a status's word for rows (fsst_tables.kc), about `strings`. Where it is 0 this is ok, and
// lets go of `strings`. "row 7: its codes are not sound" where the row turns out to be.
Status check_bad_row(Queue& queue, DeviceStrings& strings, std::uint32_t word);

// Of all rows and of row groups' texts. `text_offsets`: u64, row_count + 1, which the rows' texts
// have to fit; null where none were given.
Status check_column(Queue& queue, const DeviceStrings& strings, const Buffer* text_offsets);

}  // namespace penstock::fsst
