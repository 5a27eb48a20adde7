// SSIM of luma, by default at the scale at which 256 rows or columns remain.
#include "video/features/ssim_rows.hpp"
#include "video/features/ssim_scores.hpp"

namespace penstock::video {
namespace {

class HostSsim final : public HostFeature {
 public:
  HostSsim(const PictureFormat& format, const OptionValues& options)
      : factor_(ssim_factor(format, options)), scores_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    scores_.set(ssim_means(scaled(reference), scaled(distorted)), frame, scores);
    return {};
  }

 private:
  Image<float> scaled(const Picture& picture) const {
    const auto image = floats_of(picture, 0);
    return factor_ > 1 ? decimate_by_box(image, factor_) : image;
  }
  std::uint32_t factor_;
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

const FeatureRow float_ssim_row = {"float_ssim", "structural similarity of luma",
                                   float_ssim_options, make_host_float_ssim,
                                   make_device_float_ssim};

}  // namespace penstock::video
