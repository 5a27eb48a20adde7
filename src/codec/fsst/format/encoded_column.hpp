// Table columns that keep their strings as FSST codes until they are decoded, and slices of such
// columns.
#pragma once
#include <functional>
#include <span>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Checks decoded strings before they are handed out.
using StringCheck = std::function<Status(const Column& strings)>;
// Wraps strings as a column with their validity. Checks what validate_layout() does, and no codes.
Result<Column> encoded_column(EncodedStrings strings, StringCheck check = {});

// Returns a column's codes, without validity, or null if it is not FSST-encoded. Their string sizes
// are placeholders where the column is a slice or a concatenation.
const EncodedStrings* codes_of(const Column& column);

// Returns rows [first, first + count) with the codes of these rows only. Offsets are copied unless
// they begin at 0. String sizes become placeholders that fit the layout rules: one per code byte.
EncodedStrings slice(const EncodedStrings& strings, std::uint64_t first, std::uint64_t count);
// Concatenates rows. String sizes become placeholders, as in slice().
Result<EncodedStrings> joined(std::span<const EncodedStrings* const> parts);

}  // namespace penstock::fsst
