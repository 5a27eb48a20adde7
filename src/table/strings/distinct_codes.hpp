// Finds rows with equal FSST codes, without decoding.
#pragma once
#include "penstock/fsst.hpp"

namespace penstock::plan {

// Numbers the different codes of the rows that are not NULL, for each row group by itself.
// `numbers` gets a number for each row; the result is the first row of each number.
std::vector<std::uint64_t> number_codes(const Column& column, const fsst::EncodedStrings& strings,
                                        std::vector<std::uint32_t>& numbers);

}  // namespace penstock::plan
