// Frames dealt to several devices: the scores are one device's to the last bit. A device that is
// listed n times stands for n.
#include <gtest/gtest.h>

#include "on_device/device/device_fixture.hpp"
#include "testdata/video_clips.hpp"
#include "video/feature.hpp"

namespace penstock::video {
namespace {

constexpr PictureFormat dealt_format = {256, 224};
// A run for each of three devices, and a rest.
constexpr std::uint64_t dealt_frames = 27;

std::string listed(const std::string& id, std::uint32_t times) {
  std::string list = id;
  for (std::uint32_t i = 1; i < times; i++) list += "," + id;
  return list;
}

Result<std::unique_ptr<Scorer>> scorer_on(const std::string& devices,
                                          std::span<const FeatureRequest> requests,
                                          std::uint64_t subsample = 1) {
  ScorerOptions options;
  options.device = devices;
  options.rows = ScorerRows::kernels;
  options.subsample = subsample;
  return Scorer::create(dealt_format, requests, std::move(options));
}

Result<Scores> scored_on(const std::string& devices, std::span<const FeatureRequest> requests,
                         std::uint64_t subsample, std::uint64_t frame_count = dealt_frames) {
  PENSTOCK_ASSIGN(const auto scorer, scorer_on(devices, requests, subsample));
  ClipMaker maker(dealt_format, ClipKind::scene);
  for (std::uint64_t i = 0; i < frame_count; i++) {
    const auto frame = maker.frame(static_cast<std::int32_t>(i));
    PENSTOCK_TRY(scorer->add(picture_of(dealt_format, frame.reference).value(),
                             picture_of(dealt_format, frame.distorted).value()));
  }
  return scorer->finish();
}

void expect_equal(const Scores& several, const Scores& one) {
  ASSERT_EQ(several.keys(), one.keys());
  EXPECT_EQ(several.aggregates(), one.aggregates());
  ASSERT_EQ(several.frame_count(), one.frame_count());
  for (const std::string& key : one.keys())
    for (std::uint64_t frame = 0; frame < one.frame_count(); frame++)
      EXPECT_EQ(several.value(key, frame), one.value(key, frame)) << key << " " << frame;
}

std::vector<FeatureRequest> features_with_kernels() {
  std::vector<FeatureRequest> requests;
  for (const FeatureRow* row : feature_rows())
    if (row->device) requests.push_back({std::string(row->name), {}});
  return requests;
}

TEST(VideoOnSeveralDevices, ScoresAreThoseOfOneDevice) {
  on_each_device([](Device& device) {
    const std::string id = device.traits().id;
    for (const FeatureRequest& request : features_with_kernels()) {
      const std::span<const FeatureRequest> alone(&request, 1);
      TAKE(const Scores one, scored_on(id, alone, 1));
      TAKE(const Scores two, scored_on(listed(id, 2), alone, 1));
      expect_equal(two, one);
    }
  });
}

// Motion is scored on frames that SSIM leaves out, and reads the frames before a run.
TEST(VideoOnSeveralDevices, FeaturesTogetherAndSubsampledAreThoseOfOneDevice) {
  on_each_device([](Device& device) {
    const std::string id = device.traits().id;
    const std::vector<FeatureRequest> requests = {
        {"float_ssim"}, {"motion", {{"motion_five_frame_window", "true"}}}, {"psnr"}};
    TAKE(const Scores one, scored_on(id, requests, 3));
    for (const std::uint32_t times : {3u, 8u}) {
      TAKE(const Scores several, scored_on(listed(id, times), requests, 3));
      expect_equal(several, one);
    }
  });
}

TEST(VideoOnSeveralDevices, FewerFramesThanDevices) {
  on_each_device([](Device& device) {
    const std::string id = device.traits().id;
    const std::vector<FeatureRequest> requests = {{"psnr"}, {"motion"}};
    for (const std::uint64_t frames : {std::uint64_t{1}, std::uint64_t{3}}) {
      TAKE(const Scores one, scored_on(id, requests, 1, frames));
      TAKE(const Scores several, scored_on(listed(id, 4), requests, 1, frames));
      expect_equal(several, one);
    }
  });
}

TEST(VideoOnSeveralDevices, ADeviceThatIsAbsentIsNamed) {
  on_each_device([](Device& device) {
    const std::string id = device.traits().id;
    const std::vector<FeatureRequest> requests = {{"psnr"}};
    const std::string absent = std::string(name_of(device.traits().target)) + ":97";
    const Status status = scorer_on(id + "," + absent, requests).status();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.text().find(absent), std::string::npos) << status.text();
  });
}

TEST(VideoOnSeveralDevices, HeatMapsOfTwoDevicesDoNotMeetInOneFile) {
  on_each_device([](Device& device) {
    const std::string id = device.traits().id;
    const std::vector<FeatureRequest> requests = {
        {"cambi", {{"heatmaps_path", ::testing::TempDir()}}}};
    EXPECT_EQ(scorer_on(listed(id, 2), requests).status().code(), Code::unsupported);
  });
}

TEST(VideoOnSeveralDevices, ASampleThatIsRefusedLeavesTheOrderOfFramesAsItWas) {
  constexpr PictureFormat ten_bits = {64, 64, 10};
  on_each_device([&](Device& device) {
    ScorerOptions options;
    options.device = listed(device.traits().id, 2);
    options.rows = ScorerRows::kernels;
    const std::vector<FeatureRequest> requests = {{"psnr"}};
    TAKE(const auto scorer, Scorer::create(ten_bits, requests, std::move(options)));
    const std::vector<std::byte> good(picture_bytes(ten_bits), std::byte{1}),
        bad(picture_bytes(ten_bits), std::byte{0xff});
    TAKE(const Picture right, picture_of(ten_bits, good));
    TAKE(const Picture wrong, picture_of(ten_bits, bad));
    EXPECT_OK(scorer->add(right, right));
    EXPECT_EQ(scorer->add(right, wrong).code(), Code::invalid);
    for (int i = 0; i < 20; i++) EXPECT_OK(scorer->add(right, right));
    TAKE(const Scores scores, scorer->finish());
    EXPECT_EQ(scores.frame_count(), 21u);
  });
}

}  // namespace
}  // namespace penstock::video
