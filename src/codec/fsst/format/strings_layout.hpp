// Checks and measurements of encoded strings that decoding and validate() share.
#pragma once
#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Checks that a row's codes [begin, end) lie within code_bytes; the error says how they do not.
Status check_row_offsets(std::uint64_t row, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t code_bytes);
// Compares the size that a row group's strings decode to with the size that the column states.
Status check_string_bytes(std::size_t group, std::uint64_t found, std::uint64_t stated);

// Returns the decoded size of rows [first, end) of a row group; errors name row and byte.
Result<std::uint64_t> measure_rows(const EncodedStrings& strings, std::size_t group,
                                   std::uint64_t first, std::uint64_t end);

// Returns the number of code bytes of a row group.
std::uint64_t code_bytes(const EncodedStrings& strings, std::size_t group);

}  // namespace penstock::fsst
