// SSIM of luma, by default at the scale at which 256 rows or columns remain.
#include <algorithm>
#include <cmath>

#include "video/feature.hpp"
#include "video/host/ssim_fast.hpp"

namespace penstock::video {
namespace {

std::uint32_t factor_of(const PictureFormat& format, const OptionValues& options) {
  if (options.integer("scale") > 0) return static_cast<std::uint32_t>(options.integer("scale"));
  const float sides = static_cast<float>(std::min(format.width, format.height)) / 256.0f;
  return std::max(1u, static_cast<std::uint32_t>(std::floor(sides + 0.5f)));
}

class PlainMeans {
 public:
  PlainMeans(const PictureFormat&, std::uint32_t factor) : factor_(factor) {}
  SsimMeans operator()(const Picture& reference, const Picture& distorted) {
    return ssim_means(scaled(reference), scaled(distorted));
  }

 private:
  Image<float> scaled(const Picture& picture) const {
    const auto image = floats_of(picture, 0);
    return factor_ > 1 ? decimate_by_box(image, factor_) : image;
  }
  std::uint32_t factor_;
};

class FastMeans {
 public:
  FastMeans(const PictureFormat& format, std::uint32_t factor) : factor_(factor) {
    if (factor == 1) return;
    for (FloatPlane& plane : scaled_)
      plane = {format.width / factor + format.width % 2,
               format.height / factor + format.height % 2};
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

template <class Means> class HostSsim final : public HostFeature {
 public:
  HostSsim(const PictureFormat& format, const OptionValues& options)
      : means_of_(format, factor_of(format, options)),
        has_lcs_(options.flag("enable_lcs")),
        decibels_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const SsimMeans means = means_of_(reference, distorted);
    scores.set("float_ssim", frame, decibels_(means.ssim));
    if (!has_lcs_) return {};
    scores.set("float_ssim_l", frame, means.luminance);
    scores.set("float_ssim_c", frame, means.contrast);
    scores.set("float_ssim_s", frame, means.structure);
    return {};
  }

 private:
  Means means_of_;
  bool has_lcs_;
  Decibels decibels_;
};

// The window has to fit into what decimation leaves.
template <class Means>
Result<std::unique_ptr<HostFeature>> make_host_float_ssim(const PictureFormat& format,
                                                          const OptionValues& options) {
  const std::uint32_t factor = factor_of(format, options);
  const auto left = [&](std::uint32_t size) {
    return factor > 1 ? size / factor + size % 2 : size;
  };
  if (left(format.width) < ssim_window.size() || left(format.height) < ssim_window.size())
    return Status(Code::invalid, "float_ssim needs 11 rows and columns at its scale");
  return host_feature<HostSsim<Means>>(format, options);
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
                                   .host = make_host_float_ssim<PlainMeans>,
                                   .fast_host = make_host_float_ssim<FastMeans>};

}  // namespace penstock::video
