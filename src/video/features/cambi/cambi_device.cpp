#include "video/features/cambi/cambi_device.hpp"

#include <algorithm>

#include "video/features/cambi/cambi_pictures.hpp"
#include "video/kernels/cambi_limits.h"

namespace penstock::video {
namespace {

constexpr std::uint32_t side_sums = CAMBI_SCALES * CAMBI_SUMS;

class DeviceCambi final : public DeviceFeature {
 public:
  DeviceCambi(std::shared_ptr<Device> device, const DeviceLayout& layout, CambiPlan plan,
              const OptionValues& options)
      : plan_(std::move(plan)),
        options_(options),
        distorted_(device, layout, plan_, plan_.distorted),
        reference_(device, layout, plan_, plan_.source) {}

  Status open() {
    PENSTOCK_ASSIGN(heatmaps_, CambiHeatmaps::create(plan_, options_.text("heatmaps_path")));
    PENSTOCK_TRY(distorted_.open());
    return plan_.has_source ? reference_.open() : Status();
  }

  std::uint32_t sum_count() const override { return plan_.has_source ? 2 * side_sums : side_sums; }
  std::string_view variant() const override {
    if (distorted_.is_of_threads())
      return heatmaps_ ? "cambi_contrast_thread, a wait for each frame's heat maps"
                       : "cambi_contrast_thread";
    return heatmaps_ ? "cambi_contrast_runs, a wait for each frame's heat maps"
                     : "cambi_contrast_runs";
  }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    PENSTOCK_TRY(distorted_.enqueue(queue, frame.distorted, frame.sums, frame.first_sum));
    if (plan_.has_source)
      PENSTOCK_TRY(
          reference_.enqueue(queue, frame.reference, frame.sums, frame.first_sum + side_sums));
    return heatmaps_ ? distorted_.write(queue, *heatmaps_) : Status();
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    const double score = distorted_.score(sums);
    const auto set = [&](const char* name, double value) {
      scores.set(options_.key(name), frame, std::min(value, plan_.max_score));
    };
    set("cambi", score);
    if (!plan_.has_source) return {};
    const double source = reference_.score(sums.subspan(side_sums));
    set("cambi_source", source);
    set("cambi_full_reference", std::max(0.0, score - source));
    return {};
  }

 private:
  CambiPlan plan_;
  OptionValues options_;
  std::unique_ptr<CambiHeatmaps> heatmaps_;
  CambiPictures distorted_, reference_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_cambi(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options) {
  PENSTOCK_ASSIGN(auto plan, CambiPlan::make(layout.format, options));
  auto feature = std::make_unique<DeviceCambi>(device, layout, std::move(plan), options);
  PENSTOCK_TRY(feature->open());
  return std::unique_ptr<DeviceFeature>(std::move(feature));
}

}  // namespace penstock::video
