// Kernels of every feature on every device, against libvmaf's scores.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "video/feature.hpp"
#include "video_golden.hpp"

namespace penstock::video {
namespace {

// The distance that kernels may have from libvmaf, relative above 1. Integers are equal.
double bound_of(std::string_view feature) {
  for (const char* exact : {"cambi", "psnr", "vif", "motion"})
    if (feature == exact) return 0;
  if (feature == "float_vif") return 2e-4;
  if (feature == "float_motion" || feature == "float_ansnr") return 1e-4;
  return 5e-6;
}

// Returns a request that makes a feature yield all of its scores.
FeatureRequest golden_request_of(const FeatureRow& row) {
  FeatureRequest request{std::string(row.name), {}};
  for (const OptionRow& option : row.options)
    for (const char* name : {"enable_lcs", "enable_mse", "full_ref", "debug"})
      if (option.name == name) request.options[name] = "true";
  return request;
}

// All features that have kernels, in one scorer, so that they share uploads.
std::vector<FeatureRequest> requests_with_kernels() {
  std::vector<FeatureRequest> requests;
  for (const FeatureRow* row : feature_rows())
    if (row->device) requests.push_back(golden_request_of(*row));
  return requests;
}

Result<Scores> scores_on(const std::shared_ptr<Device>& device, const GoldenClip& clip) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  PENSTOCK_ASSIGN(const auto scorer,
                  Scorer::create(clip.format, requests_with_kernels(), std::move(options)));
  ClipMaker maker(clip.format, clip.kind);
  for (std::uint64_t i = 0; i < golden_frames; i++) {
    const auto frame = maker.frame(static_cast<std::int32_t>(i));
    PENSTOCK_TRY(scorer->add(picture_of(clip.format, frame.reference).value(),
                             picture_of(clip.format, frame.distorted).value()));
  }
  return scorer->finish();
}

void expect_golden(const Scores& scores, const GoldenClip& clip) {
  for (const FeatureRow* row : feature_rows()) {
    if (!row->device) continue;
    std::size_t compared = 0;
    for (const GoldenScore& golden : clip.scores) {
      if (golden.feature != row->name) continue;
      for (std::uint64_t i = 0; i < golden_frames; i++)
        EXPECT_NEAR(scores.value(golden.key, i).value_or(-1), golden.scores[i],
                    bound_of(row->name) * std::max(1.0, std::abs(golden.scores[i])))
            << clip.name << " " << golden.key << " " << i;
      compared++;
    }
    EXPECT_GT(compared, 0u) << row->name;  // no feature without an oracle
  }
}

TEST(VideoOnDevices, KernelsScoreAsLibvmafDoes) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const GoldenClip& clip : golden_clips()) {
      TAKE(const Scores scores, scores_on(device, clip));
      expect_golden(scores, clip);
    }
  });
}

}  // namespace
}  // namespace penstock::video
