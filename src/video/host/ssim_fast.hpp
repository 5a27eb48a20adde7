// The means of SSIM and MS-SSIM by threads and vectors, equal to libvmaf's to the last bit.
#pragma once
#include <array>

#include "video/host/luma_rows.hpp"
#include "video/host/ssim_scale.hpp"

namespace penstock::video {

// Both images have at least 11 rows and columns.
SsimMeans fast_ssim_means(const LumaRows& reference, const LumaRows& distorted);

// Sets the mean of factor x factor samples around every factor-th one, edges reflected. The sums
// are exact, so that they have no order.
void fast_decimate_by_box(const Picture& picture, std::uint32_t factor, FloatPlane& out);
// Sets every second sample after the low-pass of 9 x 9 taps of MS-SSIM, edges reflected.
void fast_decimate_by_low_pass(const LumaRows& rows, FloatPlane& out);

}  // namespace penstock::video
