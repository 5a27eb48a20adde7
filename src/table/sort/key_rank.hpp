// Numbers that have the order of a column's values.
#pragma once
#include <cstdint>

#include "penstock/column.hpp"

namespace penstock::plan {

// Returns the rank of a value by its word, as kernels have it: NaN is above all numbers, -0.0 is
// 0.0. Not of strings.
std::uint64_t rank_of_word(Type type, std::uint64_t word);

}  // namespace penstock::plan
