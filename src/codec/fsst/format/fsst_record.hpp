// The record: a column's data besides codes, offsets and validity, as bytes (docs/formats/fsst.md,
// "The record").
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Writes everything but rows, codes, offsets and validity.
Result<std::vector<std::byte>> write_record(const EncodedStrings& strings);
// Reads a record into `strings`; errors name the byte. The caller must still call
// validate_layout().
Status read_record(std::span<const std::byte> record, EncodedStrings& strings);

}  // namespace penstock::fsst
