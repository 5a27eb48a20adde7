// Steps of float_motion and float_ansnr by threads and vectors. All but the order of the sums is
// libvmaf's.
#pragma once
#include "video/host/luma_rows.hpp"

namespace penstock::video {

// Blurs luma along columns, then along rows. Returns the sum of absolute differences from `before`;
// null: 0.
double fast_blur(const Picture& picture, const float (&taps)[5], FloatPlane& out,
                 const FloatPlane* before);

// The sums of squares of the reference, filtered by 3 x 3 taps, and of its differences from the
// distorted picture, filtered by 5 x 5.
struct AnsnrSums {
  double signal = 0, noise = 0;
};
AnsnrSums fast_ansnr_sums(const Picture& reference, const Picture& distorted,
                          const float (&of_reference)[9], const float (&of_distorted)[25],
                          std::uint32_t (*border)(std::int64_t index, std::uint32_t size));

}  // namespace penstock::video
