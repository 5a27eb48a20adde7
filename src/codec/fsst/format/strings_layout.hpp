// Checks and walks of encoded strings that decoding, splits and validate() share.
#pragma once
#include "penstock/fsst.hpp"

namespace penstock::fsst {

// What is wrong with a row whose codes are [begin, end) of so many; nothing where they lie among
// them.
Status check_row_offsets(std::uint64_t row, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t code_bytes);
// Of a row group's text, found and stated.
Status check_string_bytes(std::size_t group, std::uint64_t found, std::uint64_t stated);

// The text of rows [first, end) of a row group; the error names row and byte.
Result<std::uint64_t> measure_rows(const EncodedStrings& strings, std::size_t group,
                                   std::uint64_t first, std::uint64_t end);

// Code bytes of a row group, and what its splits number.
std::uint64_t code_bytes(const EncodedStrings& strings, std::size_t group);

// Whether splits can be so far apart.
Status check_split_size(std::uint32_t split_code_bytes);

// The splits of sound codes.
Splits splits_of(const EncodedStrings& strings, std::uint32_t split_code_bytes);

}  // namespace penstock::fsst
