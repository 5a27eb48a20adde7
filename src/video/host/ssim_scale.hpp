// SSIM of one pair of images, as SSIM and MS-SSIM both need it.
#pragma once
#include "video/feature.hpp"
#include "video/kernels/low_pass_limits.h"

namespace penstock::video {

// 11 taps of a Gaussian with a deviation of 1.5, as published to six decimals. Their sum is not 1.
constexpr std::array<float, 11> ssim_window = {0.001028f, 0.007599f, 0.036001f, 0.109361f,
                                               0.213006f, 0.266012f, 0.213006f, 0.109361f,
                                               0.036001f, 0.007599f, 0.001028f};

// Means over all positions at which the window fits: luminance, contrast, structure and their
// product. Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment: from error visibility to
// structural similarity", 2004.
struct SsimMeans {
  float ssim = 0, luminance = 0, contrast = 0, structure = 0;
};
// The low-pass filter's weight of a sample v rows and u columns from the centre.
constexpr std::array<float, 25> low_pass_weights = {LOW_PASS_WEIGHTS_0, LOW_PASS_WEIGHTS_1,
                                                    LOW_PASS_WEIGHTS_2, LOW_PASS_WEIGHTS_3,
                                                    LOW_PASS_WEIGHTS_4};
constexpr float low_pass_weight(int v, int u) {
  const int row = v < 0 ? -v : v, column = u < 0 ? -u : u;
  return low_pass_weights[static_cast<std::size_t>(row) * LOW_PASS_SIDE +
                          static_cast<std::size_t>(column)];
}
// Scores in decibels, as enable_db and clip_db ask for them.
class Decibels {
 public:
  Decibels(const PictureFormat& format, const OptionValues& options);
  double operator()(double score) const;

 private:
  bool is_on_;
  double max_;
};

}  // namespace penstock::video
