// Multi-scale SSIM: contrast and structure at five scales, luminance at the last. Wang, Simoncelli,
// Bovik: "Multi-scale structural similarity for image quality assessment", 2003.
#include "video/features/ssim/ssim_rows.hpp"
#include "video/features/ssim/ssim_scores.hpp"
#include "video/host/ssim_fast.hpp"

namespace penstock::video {
namespace {

using Means = MsSsimScores::Levels;

class MeansOfScales {
 public:
  explicit MeansOfScales(const PictureFormat& format) {
    std::uint32_t width = format.width, height = format.height;
    for (auto& scale : scales_) {
      width = (width + 1) / 2, height = (height + 1) / 2;
      for (FloatPlane& plane : scale) plane = {width, height};
    }
  }
  Means operator()(const Picture& reference, const Picture& distorted) {
    Means means = {fast_ssim_means(reference, distorted)};
    decimate(reference, distorted, 0);
    for (std::uint32_t scale = 1; scale < ms_ssim_levels; scale++) {
      const auto& [a, b] = scales_[scale - 1];
      means[scale] = fast_ssim_means(a, b);
      if (scale + 1 < ms_ssim_levels) decimate(a, b, scale);
    }
    return means;
  }

 private:
  void decimate(const LumaRows& reference, const LumaRows& distorted, std::uint32_t scale) {
    fast_decimate_by_low_pass(reference, scales_[scale][0]);
    fast_decimate_by_low_pass(distorted, scales_[scale][1]);
  }
  std::array<std::array<FloatPlane, 2>, ms_ssim_levels - 1> scales_;  // reference, distorted
};

class HostMsSsim final : public HostFeature {
 public:
  HostMsSsim(const PictureFormat& format, const OptionValues& options)
      : means_of_(format), scores_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    scores_.set(means_of_(reference, distorted), frame, scores);
    return {};
  }

 private:
  MeansOfScales means_of_;
  MsSsimScores scores_;
};

Result<std::unique_ptr<HostFeature>> make_host_float_ms_ssim(const PictureFormat& format,
                                                             const OptionValues& options) {
  PENSTOCK_TRY(check_ms_ssim_size(format));
  return host_feature<HostMsSsim>(format, options);
}

constexpr OptionRow float_ms_ssim_options[] = {
    {.name = "enable_lcs", .help = "also luminance, contrast and structure of each scale"},
    {.name = "enable_db", .help = "scores in decibels"},
    {.name = "clip_db", .help = "no more decibels than the picture's size allows"}};

}  // namespace

const FeatureRow float_ms_ssim_row = {.name = "float_ms_ssim",
                                      .summary = "structural similarity at five scales",
                                      .options = float_ms_ssim_options,
                                      .host = make_host_float_ms_ssim,
                                      .device = make_device_float_ms_ssim};

}  // namespace penstock::video
