// Rows with equal FSST codes, found without decoding.
#pragma once
#include "penstock/fsst.hpp"

namespace penstock::plan {

// Numbers the different codes of the rows that are there, each row group by itself: `numbers` gets
// a row's, and the result of each number is the first such row.
std::vector<std::uint64_t> number_codes(const Column& column, const fsst::EncodedStrings& strings,
                                        std::vector<std::uint32_t>& numbers);

}  // namespace penstock::plan
