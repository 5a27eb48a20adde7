// CAMBI's parameters that do not depend on frames: sizes, windows and thresholds. Host and devices
// share them. Tandon et al.: "CAMBI: Contrast-aware multiscale banding index", 2021.
#pragma once
#include <array>
#include <vector>

#include "video/feature.hpp"

namespace penstock::video {

constexpr std::uint32_t cambi_scale_count = 5;
constexpr std::array<double, cambi_scale_count> cambi_scale_weights = {16, 8, 4, 2, 1};
constexpr std::uint32_t cambi_max_differences = 32;
// The weight of a contrast of 1, 2, ... levels of 10 bits.
constexpr std::array<std::uint32_t, cambi_max_differences> cambi_weights = {
    1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

// The processing of one of the two pictures. All later steps work on 10-bit luma of this size.
struct CambiSide {
  std::uint32_t width = 0, height = 0;
  std::uint32_t window = 0;                            // odd: rows and columns that are counted
  std::vector<std::uint32_t> columns = {}, rows = {};  // of the picture, by nearest sample
  std::uint32_t mask_threshold = 0;                    // of 49 samples without a gradient
};

struct CambiPlan {
  CambiSide distorted, source;
  std::uint32_t encoded_bits = 0;      // fewer than 10: dither is smoothed
  bool halves_first = false;           // cambi_high_res_speedup
  std::uint32_t difference_count = 0;  // 2^max_log_contrast
  double topk = 0, max_score = 0;
  std::uint32_t min_luma = 0;  // of what cambi_vis_lum_threshold lets be seen; 0: all
  // The highest level at which a difference of d levels is seen, by d; [0] is not used.
  std::array<std::uint32_t, cambi_max_differences + 1> max_level = {};
  // 1 / i of counts up to a window's samples. Nine significant digits, as libvmaf's table has them.
  std::vector<float> reciprocals = {};
  bool has_source = false;  // full_ref

  static Result<CambiPlan> make(const PictureFormat& format, const OptionValues& options);
};

std::span<const OptionRow> cambi_options();

}  // namespace penstock::video
