// Subsampled scores on every device: they equal the scores of all frames, for frames that have one.
#include <gtest/gtest.h>

#include "on_device/device/device_fixture.hpp"
#include "testdata/video_clips.hpp"
#include "video/feature.hpp"

namespace penstock::video {
namespace {

constexpr PictureFormat format = {256, 224};
constexpr std::uint64_t subsample_frames = 11;

struct Scored {
  Scores scores;
  ScorerCounts counts;
};

Result<Scored> score(const std::shared_ptr<Device>& device,
                     std::span<const FeatureRequest> requests, std::uint64_t subsample) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  options.subsample = subsample;
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, requests, std::move(options)));
  ClipMaker maker(format, ClipKind::scene);
  for (std::uint64_t i = 0; i < subsample_frames; i++) {
    const auto frame = maker.frame(static_cast<std::int32_t>(i));
    PENSTOCK_TRY(scorer->add(picture_of(format, frame.reference).value(),
                             picture_of(format, frame.distorted).value()));
  }
  PENSTOCK_ASSIGN(Scores scores, scorer->finish());
  return Scored{std::move(scores), scorer->counts()};
}

void expect_every_third(const Scores& some, const Scores& all, bool takes_every_frame) {
  EXPECT_EQ(some.keys(), all.keys());
  EXPECT_EQ(some.aggregates(), all.aggregates());
  for (const std::string& key : all.keys())
    for (std::uint64_t frame = 0; frame < subsample_frames; frame++) {
      const bool is_scored = takes_every_frame || frame % 3 == 0;
      EXPECT_EQ(some.value(key, frame), is_scored ? all.value(key, frame) : std::nullopt)
          << key << " " << frame;
    }
}

TEST(VideoSubsample, ScoresAreThoseOfAllFrames) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : feature_rows()) {
      if (!row->device) continue;
      const std::vector<FeatureRequest> request = {{std::string(row->name), {}}};
      TAKE(const Scored some, score(device, request, 3));
      TAKE(const Scored all, score(device, request, 1));
      expect_every_third(some.scores, all.scores, row->takes_every_frame);
      EXPECT_EQ(some.counts.frames, subsample_frames);
      if (!row->takes_every_frame) { EXPECT_LT(some.counts.launches * 2, all.counts.launches); }
    }
  });
}

TEST(VideoSubsample, FeaturesOfAllFramesAndOfSomeShareUploads) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const std::vector<FeatureRequest> requests = {{"float_ssim", {}}, {"psnr", {}}, {"motion", {}}};
    TAKE(const Scored some, score(device, requests, 4));
    TAKE(const Scored all, score(device, requests, 1));
    for (const std::string& key : all.scores.keys())
      for (std::uint64_t frame = 0; frame < subsample_frames; frame += 4)
        EXPECT_EQ(some.scores.value(key, frame), all.scores.value(key, frame)) << key;
    EXPECT_EQ(some.scores.value("float_ssim", 1), std::nullopt);
    EXPECT_EQ(some.scores.value("psnr_y", 1), all.scores.value("psnr_y", 1));
  });
}

TEST(VideoSubsample, TheSameKeysTwiceAreAnError) {
  const FeatureRequest requests[] = {{"psnr", {}}, {"psnr", {{"min_sse", "1"}}}};
  EXPECT_EQ(Scorer::create(format, requests, {.device = "host"}).status().code(), Code::invalid);
}

}  // namespace
}  // namespace penstock::video
