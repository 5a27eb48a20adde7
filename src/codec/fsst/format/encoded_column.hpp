// Columns of a table whose texts stay FSST codes until somebody decodes them, and parts of such
// columns.
#pragma once
#include <functional>
#include <span>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Looks at decoded texts before whoever asked for them does.
using StringCheck = std::function<Status(const Column& texts)>;
// Checks what validate_layout() does, and no code. The column's validity is that of the strings.
Result<Column> encoded_column(EncodedStrings strings, StringCheck check = {});

// A column's codes, null where it has none of ours. Without validity; sizes of text, and splits,
// are not to be relied on: what is a part of other strings has none.
const EncodedStrings* codes_of(const Column& column);

// Rows [first, first + count), with the codes of these rows only; offsets are copied where they do
// not begin at 0 already. Each code byte is said to be a byte of text, which fits the layout's
// rules and is not true.
EncodedStrings slice(const EncodedStrings& strings, std::uint64_t first, std::uint64_t count);
// Rows of several, one after another; of sizes of text as slice() says.
Result<EncodedStrings> joined(std::span<const EncodedStrings* const> parts);

}  // namespace penstock::fsst
