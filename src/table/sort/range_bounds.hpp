// Divides sorted samples into ranges of about equal size.
#pragma once
#include <cstddef>
#include <vector>

namespace penstock::plan {

// `weights`: how many rows each sample stands for, in the samples' order; one at least. Returns the
// samples at which each of `range_count` ranges but the first begins.
std::vector<std::size_t> range_bounds(const std::vector<double>& weights, std::size_t range_count);

}  // namespace penstock::plan
