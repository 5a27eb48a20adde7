#include "video/feature.hpp"

namespace penstock::video {

std::span<const FeatureRow* const> feature_rows() {
  static constexpr const FeatureRow* rows[] = {
      &float_ssim_row,   &float_ms_ssim_row, &cambi_row,        &ciede_row,
      &psnr_row,         &float_psnr_row,    &float_moment_row, &motion_row,
      &float_motion_row, &vif_row,           &float_vif_row,    &float_ansnr_row};
  return rows;
}

}  // namespace penstock::video
