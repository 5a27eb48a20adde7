// Multi-scale SSIM: contrast and structure at five scales, luminance at the last. Wang, Simoncelli,
// Bovik: "Multi-scale structural similarity for image quality assessment", 2003.
#include "video/features/ssim_rows.hpp"
#include "video/features/ssim_scores.hpp"

namespace penstock::video {
namespace {

class HostMsSsim final : public HostFeature {
 public:
  HostMsSsim(const PictureFormat& format, const OptionValues& options) : scores_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    auto a = floats_of(reference, 0), b = floats_of(distorted, 0);
    MsSsimScores::Levels means;
    for (std::uint32_t level = 0; level < ms_ssim_levels; level++) {
      if (level > 0) a = decimate_by_low_pass(a), b = decimate_by_low_pass(b);
      means[level] = ssim_means(a, b);
    }
    scores_.set(means, frame, scores);
    return {};
  }

 private:
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

const FeatureRow float_ms_ssim_row = {"float_ms_ssim", "structural similarity at five scales",
                                      float_ms_ssim_options, make_host_float_ms_ssim,
                                      make_device_float_ms_ssim};

}  // namespace penstock::video
