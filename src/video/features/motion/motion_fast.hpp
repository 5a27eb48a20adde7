// The sum of absolute values of two frames' blurred difference, by threads and vectors.
#pragma once
#include "video/host/kept_image.hpp"

namespace penstock::video {

std::uint64_t fast_blurred_difference(const KeptImage<std::uint16_t>& before,
                                      const KeptImage<std::uint16_t>& now, std::uint32_t bits);

}  // namespace penstock::video
