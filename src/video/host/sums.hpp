// Sums of rows of floats in double.
#pragma once
#include <cstddef>

namespace penstock::video {

// The order of the sum is the same on every processor: sixteen sums of every sixteenth value.
double sum_of(const float* values, std::size_t count);

}  // namespace penstock::video
