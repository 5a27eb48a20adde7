// CAMBI's kernels have the host's scores to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "testdata/video_clips.hpp"
#include "video/feature.hpp"

namespace penstock::video {
namespace {

using Options = std::map<std::string, std::string>;
using Frame = ClipMaker::Frame;

Result<Scores> scores_of(ScorerOptions where, const PictureFormat& format, const Options& options,
                         const std::vector<Frame>& frames) {
  const FeatureRequest request[] = {{"cambi", options}};
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, request, std::move(where)));
  for (const Frame& frame : frames)
    PENSTOCK_TRY(scorer->add(picture_of(format, frame.reference).value(),
                             picture_of(format, frame.distorted).value()));
  return scorer->finish();
}

enum class Expected : unsigned char { banding, anything };

// Scores of the two agree to the last bit, and the test is not one of zeros where banding is
// expected.
void expect_scores_of_host(const std::shared_ptr<Device>& device, const PictureFormat& format,
                           const Options& options, const std::vector<Frame>& frames,
                           Expected expected = Expected::banding) {
  std::string name = std::to_string(format.width) + "x" + std::to_string(format.height) + " " +
                     std::to_string(format.bits);
  for (const auto& [option, value] : options) name += " " + option + "=" + value;
  TAKE(const Scores host, scores_of({.device = "host"}, format, options, frames));
  TAKE(const Scores scores,
       scores_of({.opened = device, .rows = ScorerRows::kernels}, format, options, frames));
  ASSERT_EQ(scores.keys(), host.keys()) << name;
  for (const std::string& key : host.keys())
    for (std::uint64_t i = 0; i < frames.size(); i++)
      EXPECT_EQ(scores.value(key, i), host.value(key, i)) << name << " " << key << " " << i;
  if (expected == Expected::banding) {
    EXPECT_GT(host.value(host.keys()[0], 0).value_or(0), 0) << name;
  }
}

std::vector<Frame> clip(const PictureFormat& format, ClipKind kind, std::int32_t count = 1) {
  ClipMaker maker(format, kind);
  std::vector<Frame> frames;
  for (std::int32_t i = 0; i < count; i++) frames.push_back(maker.frame(i));
  return frames;
}

// A frame with luma as a function of the position, in both pictures.
std::vector<Frame> drawn(const PictureFormat& format,
                         const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& luma) {
  Frame frame;
  frame.distorted.resize(picture_bytes(format));
  const std::size_t bytes = format.bits > 8 ? 2 : 1;
  for (std::uint32_t y = 0; y < format.height; y++)
    for (std::uint32_t x = 0; x < format.width; x++) {
      const std::uint32_t value = luma(x, y);
      std::memcpy(frame.distorted.data() + (std::size_t{y} * format.width + x) * bytes, &value,
                  bytes);
    }
  frame.reference = frame.distorted;
  return {frame};
}

std::uint32_t hash_of(std::uint32_t x, std::uint32_t y) {
  std::uint32_t hash = x * 0x9E3779B1u ^ y * 0x85EBCA77u;
  hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
  hash = (hash ^ hash >> 12) * 0x297A2D39u;
  return hash ^ hash >> 15;
}

TEST(Cambi, EveryOptionHasTheHostsScores) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat small = {576, 324}, deep = {576, 324, 10};
    for (const Options& options :
         {Options{},
          {{"enc_width", "400"}, {"enc_height", "225"}},
          {{"enc_width", "576"}, {"enc_height", "217"}},
          {{"enc_bitdepth", "10"}},
          {{"window_size", "15"}},
          {{"window_size", "127"}},
          {{"topk", "0.1"}},
          {{"topk", "0.0001"}},
          {{"cambi_topk", "1"}},
          {{"tvi_threshold", "0.05"}},
          {{"cambi_vis_lum_threshold", "5"}},
          {{"max_log_contrast", "0"}},
          {{"max_log_contrast", "1"}},
          {{"max_log_contrast", "3"}},
          {{"max_log_contrast", "4"}, {"eotf", "pq"}},
          {{"max_log_contrast", "5"}, {"topk", "0.2"}},
          {{"cambi_eotf", "pq"}},
          {{"full_ref", "true"}},
          {{"full_ref", "true"}, {"src_width", "480"}, {"src_height", "270"}},
          {{"cambi_max_val", "3"}}})
      expect_scores_of_host(device, small, options, clip(small, ClipKind::banding, 2));
    for (const Options& options :
         {Options{}, {{"enc_bitdepth", "8"}}, {{"max_log_contrast", "5"}}, {{"topk", "0.05"}}})
      expect_scores_of_host(device, deep, options, clip(deep, ClipKind::scene));
  });
}

TEST(Cambi, EverySizeAndDepthHasTheHostsScores) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : {PictureFormat{641, 363},
                                        {216, 16},
                                        {260, 40},
                                        {217, 33, 10},
                                        {386, 257, 12},
                                        {333, 219, 16}})
      for (const ClipKind kind : {ClipKind::banding, ClipKind::scene})
        expect_scores_of_host(device, format, {}, clip(format, kind), Expected::anything);
    const PictureFormat row = {217, 1}, column = {1, 216};
    const auto bands = [](std::uint32_t x, std::uint32_t y) { return 40 + (x + y) / 20; };
    expect_scores_of_host(device, row, {}, drawn(row, bands), Expected::anything);
    expect_scores_of_host(device, column, {}, drawn(column, bands), Expected::anything);
  });
}

TEST(Cambi, HalvingFirstHasTheHostsScores) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {1920, 1081};
    expect_scores_of_host(device, format, {{"cambi_high_res_speedup", "1080"}},
                          clip(format, ClipKind::banding));
  });
}

// Flat frames, noise without any flat sample, two levels at random in blocks that count, and all
// levels at once in stripes.
TEST(Cambi, ExtremePicturesHaveTheHostsScores) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {450, 260, 10};
    for (const char* contrast : {"2", "5"}) {
      const Options options = {{"max_log_contrast", contrast}};
      const auto expect = [&](const auto& luma, Expected expected) {
        expect_scores_of_host(device, format, options, drawn(format, luma), expected);
      };
      expect([](auto, auto) { return 300u; }, Expected::anything);
      expect([](auto x, auto y) { return hash_of(x, y) & 1023u; }, Expected::anything);
      expect([](auto x, auto y) { return 100 + (hash_of(x / 5, y / 4) & 1u); }, Expected::banding);
      expect([](auto x, auto y) { return (x / 9 * 37 + y / 7 * 3) & 1023u; }, Expected::banding);
      expect([](auto x, auto y) { return (x / 4 + (y & ~7u) * 2) & 1023u; }, Expected::banding);
      expect([](auto x, auto y) { return 70 + x / 3 + y / 130 * 40; }, Expected::banding);
    }
  });
}

// Past what the bits of a sample allow, which libvmaf does not take.
TEST(Cambi, SamplesOfTooManyBitsAreSafe) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {217, 33, 10};
    const auto frames = drawn(format, [](auto x, auto y) { return hash_of(x / 9, y) & 65535u; });
    const FeatureRequest request[] = {{"cambi", {}}};
    TAKE(const auto scorer,
         Scorer::create(format, request, {.opened = device, .rows = ScorerRows::kernels}));
    TAKE(const auto queue, device->queue());
    // From the host's memory they are refused, so they are in the device's.
    TAKE(const auto buffer, on_device(*device, *queue, frames[0].distorted));
    ASSERT_OK(queue->finish());
    DevicePicture picture{.format = format};
    std::uint64_t first = 0;
    for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
      const std::uint64_t row_bytes = std::uint64_t{2} * plane_width(format, plane);
      picture.planes[plane] = {buffer, first, row_bytes};
      first += row_bytes * plane_height(format, plane);
    }
    ASSERT_OK(scorer->add(picture, picture));
    TAKE(const Scores scores, scorer->finish());
    EXPECT_TRUE(std::isfinite(scores.value("cambi", 0).value_or(INFINITY)));
  });
}

TEST(Cambi, FramesNeedFewLaunchesAndShareWaits) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {577, 323};
    const auto frames = clip(format, ClipKind::banding);
    const FeatureRequest request[] = {{"cambi", {}}};
    TAKE(const auto scorer,
         Scorer::create(format, request, {.opened = device, .rows = ScorerRows::kernels}));
    for (int i = 0; i < 40; i++)
      ASSERT_OK(scorer->add(picture_of(format, frames[0].reference).value(),
                            picture_of(format, frames[0].distorted).value()));
    ASSERT_OK(scorer->finish());
    EXPECT_LE(scorer->counts().launches, 40u * 10);
    EXPECT_LT(scorer->counts().waits, 10u);
  });
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Cambi, HeatMapsAreThoseOfTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {577, 323};
    const auto frames = clip(format, ClipKind::banding, 2);
    const std::filesystem::path folder = own_path("cambi_heatmaps");
    const auto write = [&](const char* name, ScorerOptions where) {
      const Options options = {{"heatmaps_path", folder / name}};
      EXPECT_OK(scores_of(std::move(where), format, options, frames));
    };
    write("host", {.device = "host"});
    write("device", {.opened = device, .rows = ScorerRows::kernels});
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder / "host")) {
      const std::string expected = content_of(file.path());
      EXPECT_EQ(content_of(folder / "device" / file.path().filename()), expected);
      EXPECT_NE(expected.find_first_not_of('\0'), std::string::npos);
      files++;
    }
    EXPECT_EQ(files, 5u);
    EXPECT_EQ(
        std::filesystem::file_size(folder / "device" / "cambi_heatmap_scale_4_37x21_16b.gray"),
        2u * 2 * 37 * 21);
    std::filesystem::remove_all(folder);
  });
}

class CambiOnExecutor : public testing::TestWithParam<kernel::HostDeviceOptions> {};

TEST_P(CambiOnExecutor, KernelsHaveNoRacesAndTheHostsScores) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  const PictureFormat format = {217, 40};
  const auto frames = drawn(
      format, [](auto x, auto y) { return 60 + x / 24 + y / 30 * 40 + hash_of(x / 6, y / 5) % 3; });
  expect_scores_of_host(device, format, {{"topk", "0.02"}, {"window_size", "127"}}, frames);
}

// Several strips, an odd margin of the window, levels of more than one slide, and all differences.
TEST_P(CambiOnExecutor, WideFramesHaveTheHostsScores) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  const PictureFormat format = {390, 27, 10};
  const auto frames = drawn(
      format, [](auto x, auto y) { return 64 + x / 3 + y / 9 * 90 + hash_of(x / 5, y / 4) % 5; });
  const Options options = {{"max_log_contrast", "5"}, {"window_size", "99"}};
  expect_scores_of_host(device, format, options, frames);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CambiOnExecutor,
    testing::Values(
        kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1},
        kernel::HostDeviceOptions{.max_group_size = 32, .subgroup_size = 32},
        kernel::HostDeviceOptions{
            .max_group_size = 32, .order = kernel::ThreadOrder::reverse, .subgroup_size = 32},
        kernel::HostDeviceOptions{.max_group_size = 32},
        kernel::HostDeviceOptions{.max_group_size = 32, .order = kernel::ThreadOrder::reverse},
        kernel::HostDeviceOptions{.max_group_size = 16, .order = kernel::ThreadOrder::shuffled}));

}  // namespace
}  // namespace penstock::video
