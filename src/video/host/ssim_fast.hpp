// The means of SSIM and MS-SSIM by threads and vectors, equal to the means of ssim_scale.hpp.
#pragma once
#include <array>

#include "video/host/luma_rows.hpp"
#include "video/host/ssim_scale.hpp"

namespace penstock::video {

SsimMeans fast_ssim_means(const LumaRows& reference, const LumaRows& distorted);

// As decimate_by_box() of floats_of(picture, 0). The sums are exact, so that they have no order.
void fast_decimate_by_box(const Picture& picture, std::uint32_t factor, FloatPlane& out);
// As decimate_by_low_pass().
void fast_decimate_by_low_pass(const LumaRows& rows, FloatPlane& out);

}  // namespace penstock::video
