// SSIM of luma, by default at the scale at which 256 rows or columns remain.
#include "video/features/ssim/ssim_rows.hpp"
#include "video/features/ssim/ssim_scores.hpp"
#include "video/host/ssim_fast.hpp"

namespace penstock::video {
namespace {

class ScaledMeans {
 public:
  ScaledMeans(const PictureFormat& format, std::uint32_t factor) : factor_(factor) {
    if (factor == 1) return;
    for (FloatPlane& plane : scaled_)
      plane = {size_after_box(format.width, factor), size_after_box(format.height, factor)};
  }
  SsimMeans operator()(const Picture& reference, const Picture& distorted) {
    if (factor_ == 1) return fast_ssim_means(reference, distorted);
    fast_decimate_by_box(reference, factor_, scaled_[0]);
    fast_decimate_by_box(distorted, factor_, scaled_[1]);
    return fast_ssim_means(scaled_[0], scaled_[1]);
  }

 private:
  std::uint32_t factor_;
  FloatPlane scaled_[2];
};

class HostSsim final : public HostFeature {
 public:
  HostSsim(const PictureFormat& format, const OptionValues& options)
      : means_of_(format, ssim_factor(format, options)), scores_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    scores_.set(means_of_(reference, distorted), frame, scores);
    return {};
  }

 private:
  ScaledMeans means_of_;
  SsimScores scores_;
};

Result<std::unique_ptr<HostFeature>> make_host_float_ssim(const PictureFormat& format,
                                                          const OptionValues& options) {
  PENSTOCK_TRY(check_ssim_size(format, options));
  return host_feature<HostSsim>(format, options);
}

constexpr OptionRow float_ssim_options[] = {
    {.name = "enable_lcs", .help = "also luminance, contrast and structure"},
    {.name = "enable_db", .help = "scores in decibels"},
    {.name = "clip_db", .help = "no more decibels than the picture's size allows"},
    {.name = "scale",
     .kind = OptionKind::integer,
     .max = 10,
     .help = "decimation; 0: the smaller side is brought to 256, 1: none"}};

}  // namespace

const FeatureRow float_ssim_row = {.name = "float_ssim",
                                   .summary = "structural similarity of luma",
                                   .options = float_ssim_options,
                                   .host = make_host_float_ssim,
                                   .device = make_device_float_ssim};

}  // namespace penstock::video
