// Multi-scale SSIM: contrast and structure at five scales, luminance at the last. Wang, Simoncelli,
// Bovik: "Multi-scale structural similarity for image quality assessment", 2003.
#include <cmath>

#include "video/feature.hpp"
#include "video/host/ssim_fast.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t scale_count = 5;
constexpr double exponents[scale_count] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

using Means = std::array<SsimMeans, scale_count>;

class PlainMsMeans {
 public:
  explicit PlainMsMeans(const PictureFormat&) {}
  Means operator()(const Picture& reference, const Picture& distorted) {
    auto a = floats_of(reference, 0), b = floats_of(distorted, 0);
    Means means;
    for (std::uint32_t scale = 0; scale < scale_count; scale++) {
      if (scale > 0) a = decimate_by_low_pass(a), b = decimate_by_low_pass(b);
      means[scale] = ssim_means(a, b);
    }
    return means;
  }
};

class FastMsMeans {
 public:
  explicit FastMsMeans(const PictureFormat& format) {
    std::uint32_t width = format.width, height = format.height;
    for (auto& scale : scales_) {
      width = (width + 1) / 2, height = (height + 1) / 2;
      for (FloatPlane& plane : scale) plane = {width, height};
    }
  }
  Means operator()(const Picture& reference, const Picture& distorted) {
    Means means = {fast_ssim_means(reference, distorted)};
    decimate(reference, distorted, 0);
    for (std::uint32_t scale = 1; scale < scale_count; scale++) {
      const auto& [a, b] = scales_[scale - 1];
      means[scale] = fast_ssim_means(a, b);
      if (scale + 1 < scale_count) decimate(a, b, scale);
    }
    return means;
  }

 private:
  void decimate(const LumaRows& reference, const LumaRows& distorted, std::uint32_t scale) {
    fast_decimate_by_low_pass(reference, scales_[scale][0]);
    fast_decimate_by_low_pass(distorted, scales_[scale][1]);
  }
  std::array<std::array<FloatPlane, 2>, scale_count - 1> scales_;  // reference, distorted
};

template <class AnyMeans> class HostMsSsim final : public HostFeature {
 public:
  HostMsSsim(const PictureFormat& format, const OptionValues& options)
      : means_of_(format), has_lcs_(options.flag("enable_lcs")), decibels_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const Means means = means_of_(reference, distorted);
    double score = 1;
    for (std::uint32_t scale = 0; scale < scale_count; scale++) {
      score *= std::pow(means[scale].contrast, exponents[scale]) *
               std::pow(means[scale].structure, exponents[scale]);
    }
    score *= std::pow(means[scale_count - 1].luminance, exponents[scale_count - 1]);
    scores.set("float_ms_ssim", frame, decibels_(score));
    if (has_lcs_) set_terms(means, frame, scores);
    return {};
  }

 private:
  static void set_terms(const Means& means, std::uint64_t frame, Scores& scores) {
    const auto set = [&](const char* term, float SsimMeans::* mean) {
      for (std::uint32_t scale = 0; scale < scale_count; scale++)
        scores.set("float_ms_ssim_" + std::string(term) + "_scale" + std::to_string(scale), frame,
                   means[scale].*mean);
    };
    set("l", &SsimMeans::luminance);
    set("c", &SsimMeans::contrast);
    set("s", &SsimMeans::structure);
  }
  AnyMeans means_of_;
  bool has_lcs_;
  Decibels decibels_;
};

template <class AnyMeans>
Result<std::unique_ptr<HostFeature>> make_host_float_ms_ssim(const PictureFormat& format,
                                                             const OptionValues& options) {
  const std::uint32_t min_size = static_cast<std::uint32_t>(ssim_window.size())
                                 << (scale_count - 1);
  if (format.width < min_size || format.height < min_size)
    return Status(Code::invalid,
                  "float_ms_ssim needs " + std::to_string(min_size) + " rows and columns");
  return host_feature<HostMsSsim<AnyMeans>>(format, options);
}

constexpr OptionRow float_ms_ssim_options[] = {
    {.name = "enable_lcs", .help = "also luminance, contrast and structure of each scale"},
    {.name = "enable_db", .help = "scores in decibels"},
    {.name = "clip_db", .help = "no more decibels than the picture's size allows"}};

}  // namespace

const FeatureRow float_ms_ssim_row = {.name = "float_ms_ssim",
                                      .summary = "structural similarity at five scales",
                                      .options = float_ms_ssim_options,
                                      .host = make_host_float_ms_ssim<PlainMsMeans>,
                                      .fast_host = make_host_float_ms_ssim<FastMsMeans>};

}  // namespace penstock::video
