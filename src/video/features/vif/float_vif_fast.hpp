// Steps of float_vif by threads and vectors: libvmaf's but for a logarithm of its own, within
// 1e-7, and the order of the sums.
#pragma once
#include <vector>

#include "video/features/vif/vif.hpp"
#include "video/host/luma_rows.hpp"

namespace penstock::video {

void fast_floats(const Picture& picture, float offset, FloatPlane& out);
void fast_filter_and_halve(const FloatPlane& image, const std::vector<float>& filter,
                           FloatPlane& out);
VifFraction fast_fraction(const FloatPlane& reference, const FloatPlane& distorted,
                          const std::vector<float>& filter, float gain_limit);

}  // namespace penstock::video
