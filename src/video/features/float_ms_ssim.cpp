// Multi-scale SSIM: contrast and structure at five scales, luminance at the last. Wang, Simoncelli,
// Bovik: "Multi-scale structural similarity for image quality assessment", 2003.
#include <cmath>

#include "video/feature.hpp"
#include "video/host/ssim_scale.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t scale_count = 5;
constexpr double exponents[scale_count] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

class HostMsSsim final : public HostFeature {
 public:
  HostMsSsim(const PictureFormat& format, const OptionValues& options)
      : has_lcs_(options.flag("enable_lcs")), decibels_(format, options) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    auto a = floats_of(reference, 0), b = floats_of(distorted, 0);
    SsimMeans means[scale_count];
    double score = 1;
    for (std::uint32_t scale = 0; scale < scale_count; scale++) {
      if (scale > 0) a = decimate_by_low_pass(a), b = decimate_by_low_pass(b);
      means[scale] = ssim_means(a, b);
      score *= std::pow(means[scale].contrast, exponents[scale]) *
               std::pow(means[scale].structure, exponents[scale]);
    }
    score *= std::pow(means[scale_count - 1].luminance, exponents[scale_count - 1]);
    scores.set("float_ms_ssim", frame, decibels_(score));
    if (has_lcs_) set_terms(means, frame, scores);
    return {};
  }

 private:
  static void set_terms(const SsimMeans (&means)[scale_count], std::uint64_t frame,
                        Scores& scores) {
    const auto set = [&](const char* term, float SsimMeans::* mean) {
      for (std::uint32_t scale = 0; scale < scale_count; scale++)
        scores.set("float_ms_ssim_" + std::string(term) + "_scale" + std::to_string(scale), frame,
                   means[scale].*mean);
    };
    set("l", &SsimMeans::luminance);
    set("c", &SsimMeans::contrast);
    set("s", &SsimMeans::structure);
  }
  bool has_lcs_;
  Decibels decibels_;
};

Result<std::unique_ptr<HostFeature>> make_host_float_ms_ssim(const PictureFormat& format,
                                                             const OptionValues& options) {
  const std::uint32_t min_size = static_cast<std::uint32_t>(ssim_window.size())
                                 << (scale_count - 1);
  if (format.width < min_size || format.height < min_size)
    return Status(Code::invalid,
                  "float_ms_ssim needs " + std::to_string(min_size) + " rows and columns");
  return host_feature<HostMsSsim>(format, options);
}

constexpr OptionRow float_ms_ssim_options[] = {
    {.name = "enable_lcs", .help = "also luminance, contrast and structure of each scale"},
    {.name = "enable_db", .help = "scores in decibels"},
    {.name = "clip_db", .help = "no more decibels than the picture's size allows"}};

}  // namespace

const FeatureRow float_ms_ssim_row = {"float_ms_ssim", "structural similarity at five scales",
                                      float_ms_ssim_options, make_host_float_ms_ssim};

}  // namespace penstock::video
