// What a column's codes, offsets and validity leave untold, as bytes: docs/formats/fsst.md, "The
// record".
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Of all of strings but its rows, codes, offsets and validity.
Result<std::vector<std::byte>> write_record(const EncodedStrings& strings);
// Fills these parts of `strings`; the error names the record's byte. validate_layout() still has to
// look at them.
Status read_record(std::span<const std::byte> record, EncodedStrings& strings);

}  // namespace penstock::fsst
