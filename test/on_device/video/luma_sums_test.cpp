// float_psnr and float_moment by kernels: their sums are exact, so scores equal the host's but for
// the order of a double's operations.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "penstock/video.hpp"
#include "testdata/video_clips.hpp"

namespace penstock::video {
namespace {

constexpr const char* keys[] = {"float_psnr", "float_moment_ref1st", "float_moment_dis1st",
                                "float_moment_ref2nd", "float_moment_dis2nd"};

Result<Scores> scores_of(const PictureFormat& format, const ClipMaker::Frame& frame,
                         ScorerOptions options) {
  const FeatureRequest requests[] = {{"float_psnr"}, {"float_moment"}};
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, requests, std::move(options)));
  PENSTOCK_ASSIGN(const Picture reference, picture_of(format, frame.reference));
  PENSTOCK_ASSIGN(const Picture distorted, picture_of(format, frame.distorted));
  PENSTOCK_TRY(scorer->add(reference, distorted));
  return scorer->finish();
}

void expect_hosts_scores(const std::shared_ptr<Device>& device, const PictureFormat& format,
                         const ClipMaker::Frame& frame) {
  TAKE(const Scores expected, scores_of(format, frame, {.device = "host"}));
  TAKE(const Scores actual,
       scores_of(format, frame, {.opened = device, .rows = ScorerRows::kernels}));
  for (const char* key : keys) {
    const double score = expected.value(key, 0).value();
    EXPECT_NEAR(actual.value(key, 0).value(), score, 1e-12 * std::abs(score))
        << key << " " << format.width << "x" << format.height << " " << format.bits << " bits";
  }
}

std::vector<PictureFormat> sum_formats() {
  return {{131, 67, 8, Chroma::c420},
          {1, 1, 8, Chroma::c444},
          {67, 131, 10, Chroma::none},
          {640, 360, 12, Chroma::c422},
          {131, 67, 16, Chroma::c420}};
}

TEST(LumaSums, KernelsScoreAsTheHostDoes) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : sum_formats())
      expect_hosts_scores(device, format, ClipMaker(format, ClipKind::scene).frame(1));
  });
}

// The noise is 0, and the score the cap.
TEST(LumaSums, EqualFramesHaveTheHighestScore) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : sum_formats()) {
      ClipMaker::Frame frame = ClipMaker(format, ClipKind::scene).frame(1);
      frame.distorted = frame.reference;
      expect_hosts_scores(device, format, frame);
    }
  });
}

TEST(LumaSums, RunOnTheHostWithoutAFinding) {
  const PictureFormat format = {37, 11, 8, Chroma::c420};
  for (const std::uint32_t group_size : {1u, 8u})
    expect_hosts_scores(kernel::make_host_device({.max_group_size = group_size}), format,
                        ClipMaker(format, ClipKind::banding).frame(1));
}

}  // namespace
}  // namespace penstock::video
