// CAMBI: how much banding is seen, at five scales. Integers up to one product of floats, so that
// the order in which samples are counted does not matter.
#include <algorithm>
#include <cmath>
#include <optional>

#include "video/features/cambi/cambi_device.hpp"
#include "video/features/cambi/cambi_fast.hpp"
#include "video/features/cambi/cambi_heatmaps.hpp"

namespace penstock::video {
namespace {

class HostCambi final : public HostFeature {
 public:
  HostCambi(CambiPlan plan, const OptionValues& options, std::unique_ptr<CambiHeatmaps> heatmaps)
      : plan_(std::move(plan)),
        options_(options),
        heatmaps_(std::move(heatmaps)),
        of_distorted_(plan_, plan_.distorted, heatmaps_.get()) {
    if (plan_.has_source) of_source_.emplace(plan_, plan_.source, nullptr);
  }

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    PENSTOCK_ASSIGN(const double score, of_distorted_(distorted));
    const auto set = [&](const char* name, double value) {
      scores.set(options_.key(name), frame, std::min(value, plan_.max_score));
    };
    set("cambi", score);
    if (!of_source_) return {};
    PENSTOCK_ASSIGN(const double source, (*of_source_)(reference));
    set("cambi_source", source);
    set("cambi_full_reference", std::max(0.0, score - source));
    return {};
  }

 private:
  const CambiPlan plan_;
  OptionValues options_;
  std::unique_ptr<CambiHeatmaps> heatmaps_;
  FastCambi of_distorted_;
  std::optional<FastCambi> of_source_;
};

Result<std::unique_ptr<HostFeature>> make_host_cambi(const PictureFormat& format,
                                                     const OptionValues& options) {
  PENSTOCK_ASSIGN(auto plan, CambiPlan::make(format, options));
  PENSTOCK_ASSIGN(auto heatmaps, CambiHeatmaps::create(plan, options.text("heatmaps_path")));
  return std::unique_ptr<HostFeature>(
      std::make_unique<HostCambi>(std::move(plan), options, std::move(heatmaps)));
}

}  // namespace

const FeatureRow cambi_row = {.name = "cambi",
                              .summary = "banding, as it is seen",
                              .options = cambi_options(),
                              .host = make_host_cambi,
                              .device = make_device_cambi};

}  // namespace penstock::video
