// Kernels of SSIM and MS-SSIM on every device, against the loops of the host.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "penstock/video.hpp"

namespace penstock::video {
namespace {

// A pair of luma planes. A kind says how samples come about, of 0 to 1.
struct Clip {
  PictureFormat format;
  std::vector<std::byte> reference, distorted;
};
enum class Content : unsigned char { texture, flat, dark, identical, inverted };

void put(double value, const PictureFormat& format, std::vector<std::byte>& bytes) {
  const double highest = static_cast<double>((1u << format.bits) - 1);
  const auto sample = static_cast<std::uint32_t>(std::clamp(value, 0.0, 1.0) * highest);
  bytes.push_back(static_cast<std::byte>(sample & 255));
  if (format.bits > 8) bytes.push_back(static_cast<std::byte>(sample >> 8));
}

Clip clip_of(std::uint32_t width, std::uint32_t height, std::uint32_t bits, Content content) {
  Clip clip{.format = {width, height, bits, Chroma::none}, .reference = {}, .distorted = {}};
  std::mt19937 random(width * 65536 + height);
  std::uniform_real_distribution<double> noise(-1, 1);
  for (std::uint32_t y = 0; y < height; y++)
    for (std::uint32_t x = 0; x < width; x++) {
      const double wave = 0.5 + 0.3 * std::sin(0.31 * x + 0.11 * y) + 0.15 * std::cos(0.05 * x * y);
      double from = wave + 0.05 * noise(random), to = from + 0.08 * noise(random);
      if (content == Content::flat) from = y < height / 2 ? 0.8 : 0.1, to = from + 0.02;
      if (content == Content::dark) from *= 0.03, to *= 0.03;
      if (content == Content::identical) to = from;
      if (content == Content::inverted) to = 1 - from;
      put(from, clip.format, clip.reference);
      put(to, clip.format, clip.distorted);
    }
  return clip;
}

Result<Scores> scores_of(const Clip& clip, const FeatureRequest& request, ScorerOptions options) {
  const FeatureRequest requests[] = {request};
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(clip.format, requests, std::move(options)));
  PENSTOCK_ASSIGN(const Picture reference, picture_of(clip.format, clip.reference));
  PENSTOCK_ASSIGN(const Picture distorted, picture_of(clip.format, clip.distorted));
  PENSTOCK_TRY(scorer->add(reference, distorted));
  return scorer->finish();
}
Result<Scores> scores_on(const std::shared_ptr<Device>& device, const Clip& clip,
                         const FeatureRequest& request) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  return scores_of(clip, request, std::move(options));
}

// The host stores means of squares, up to 2^16, as floats, as libvmaf does: a position's score is
// off by some 2^-9 of C2 then. Over many positions this averages out.
constexpr double ssim_bound = 2e-6, bound_of_position = 2e-5;
double bound_of(const Clip& clip, const FeatureRequest& request) {
  const std::uint32_t width = clip.format.width, height = clip.format.height;
  std::uint32_t factor = 1;
  if (request.name == "float_ms_ssim") factor = 16;
  if (const auto scale = request.options.find("scale"); scale != request.options.end())
    factor = static_cast<std::uint32_t>(std::max(1, std::stoi(scale->second)));
  const double positions = (width / factor - 10.0) * (height / factor - 10.0);
  return ssim_bound + bound_of_position / std::sqrt(std::max(positions, 1.0));
}

void expect_same(const Scores& scores, const Scores& on_host, double max_error) {
  EXPECT_EQ(scores.keys(), on_host.keys());
  for (const std::string& key : on_host.keys()) {
    const double expected = on_host.value(key, 0).value();
    const double value = scores.value(key, 0).value_or(-7);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << key << " " << value;
    else if (std::isinf(expected))
      EXPECT_EQ(value, expected) << key;
    else
      EXPECT_NEAR(value, expected, max_error) << key;
  }
}

void expect_the_hosts_scores(const std::shared_ptr<Device>& device, const Clip& clip,
                             const FeatureRequest& request, double units = 1) {
  SCOPED_TRACE(request.name + " " + std::to_string(clip.format.width) + "x" +
               std::to_string(clip.format.height) + " of " + std::to_string(clip.format.bits));
  for (const auto& [name, value] : request.options) SCOPED_TRACE(name + "=" + value);
  ScorerOptions host;
  host.device = "host";
  TAKE(const Scores expected, scores_of(clip, request, std::move(host)));
  TAKE(const Scores scores, scores_on(device, clip, request));
  expect_same(scores, expected, units * bound_of(clip, request));
}

FeatureRequest ssim_request(std::uint32_t scale) {
  return {"float_ssim", {{"scale", std::to_string(scale)}, {"enable_lcs", "true"}}};
}
FeatureRequest ms_ssim_request() { return {"float_ms_ssim", {{"enable_lcs", "true"}}}; }

TEST(SsimOnDevices, EveryScaleIsAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const Clip even = clip_of(264, 250, 8, Content::texture);
    const Clip odd = clip_of(251, 243, 8, Content::texture);
    for (std::uint32_t scale = 0; scale <= 10; scale++)
      for (const Clip* clip : {&even, &odd})
        expect_the_hosts_scores(device, *clip, ssim_request(scale));
  });
}

// Around the tiles of groups of 1, 64 and 256 threads, and the least that a window needs.
TEST(SsimOnDevices, EverySizeIsAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t width : {11u, 12u, 58u, 59u, 74u, 75u, 138u, 250u, 251u, 499u})
      for (const std::uint32_t height : {11u, 18u, 19u, 26u, 27u, 43u})
        expect_the_hosts_scores(device, clip_of(width, height, 8, Content::texture),
                                ssim_request(1));
  });
}

TEST(SsimOnDevices, LargePicturesTakeLargeGroups) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    expect_the_hosts_scores(device, clip_of(1931, 1090, 8, Content::texture), ssim_request(1));
    expect_the_hosts_scores(device, clip_of(1920, 1080, 8, Content::texture), ssim_request(0));
    expect_the_hosts_scores(device, clip_of(1921, 1079, 8, Content::texture), ms_ssim_request());
  });
}

TEST(SsimOnDevices, EveryDepthIsAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t bits : {10u, 12u, 16u}) {
      const Clip clip = clip_of(202, 181, bits, Content::texture);
      for (const std::uint32_t scale : {1u, 3u})
        expect_the_hosts_scores(device, clip, ssim_request(scale));
      expect_the_hosts_scores(device, clip, ms_ssim_request());
    }
  });
}

// Variances are 0, or a little less before they are clamped. Positions of a row all round alike.
TEST(SsimOnDevices, FlatAndDarkPicturesAreAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Content content : {Content::flat, Content::dark})
      for (const std::uint32_t bits : {8u, 10u}) {
        const Clip clip = clip_of(199, 190, bits, content);
        expect_the_hosts_scores(device, clip, ssim_request(1));
        expect_the_hosts_scores(device, clip, ssim_request(2));
        expect_the_hosts_scores(device, clip, ms_ssim_request(), content == Content::flat ? 3 : 1);
      }
  });
}

TEST(SsimOnDevices, APictureHasExactlyOneWithItself) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t bits : {8u, 10u}) {
      const Clip clip = clip_of(210, 177, bits, Content::identical);
      for (const FeatureRequest& request : {ssim_request(1), ssim_request(3), ms_ssim_request()}) {
        TAKE(const Scores scores, scores_on(device, clip, request));
        for (const std::string& key : scores.keys()) EXPECT_EQ(scores.value(key, 0), 1) << key;
      }
    }
  });
}

// MS-SSIM has no score then: a power of a negative number. Both say so.
TEST(SsimOnDevices, NegativeStructureIsAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const Clip clip = clip_of(240, 200, 8, Content::inverted);
    expect_the_hosts_scores(device, clip, ssim_request(1));
    expect_the_hosts_scores(device, clip, ms_ssim_request());
    TAKE(const Scores scores, scores_on(device, clip, ssim_request(1)));
    EXPECT_LT(scores.value("float_ssim", 0).value_or(1), -0.5);
  });
}

// A decibel is 0.23 of what the score lacks to 1, here more than 0.005.
TEST(SsimOnDevices, OptionsAreAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Content content : {Content::texture, Content::identical})
      for (const char* feature : {"float_ssim", "float_ms_ssim"})
        for (const char* clip_db : {"false", "true"}) {
          const FeatureRequest request = {feature, {{"enable_db", "true"}, {"clip_db", clip_db}}};
          expect_the_hosts_scores(device, clip_of(208, 176, 8, content), request, 4.35 / 0.005);
        }
    expect_the_hosts_scores(device, clip_of(208, 176, 8, Content::texture), {"float_ssim", {}});
    expect_the_hosts_scores(device, clip_of(208, 176, 8, Content::texture), {"float_ms_ssim", {}});
  });
}

TEST(SsimOnDevices, EveryLevelOfMsSsimIsAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const auto& [width, height] :
         {std::pair{176u, 176u}, {177u, 191u}, {253u, 182u}, {320u, 180u}, {499u, 178u}})
      expect_the_hosts_scores(device, clip_of(width, height, 8, Content::texture),
                              ms_ssim_request());
  });
}

TEST(SsimOnDevices, ATooSmallPictureIsRefused) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const auto code_of = [&](const Clip& clip, const FeatureRequest& request) {
      return scores_on(device, clip, request).status().code();
    };
    const Clip clip = clip_of(175, 108, 8, Content::texture);
    EXPECT_EQ(code_of(clip, ms_ssim_request()), Code::invalid);
    EXPECT_EQ(code_of(clip, ssim_request(10)), Code::invalid);
  });
}

// The kernels under sanitizers, their races looked for in every order of threads.
class SsimUnderSanitizers : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};

TEST_P(SsimUnderSanitizers, HasTheHostsScores) {
  const auto device = kernel::make_host_device(GetParam());
  expect_the_hosts_scores(device, clip_of(37, 29, 8, Content::texture), ssim_request(1));
  // Large enough for large groups and a program for its width.
  expect_the_hosts_scores(device, clip_of(260, 30, 8, Content::texture), ssim_request(1));
  expect_the_hosts_scores(device, clip_of(67, 60, 8, Content::texture), ssim_request(4));
  expect_the_hosts_scores(device, clip_of(45, 34, 10, Content::texture), ssim_request(3));
  expect_the_hosts_scores(device, clip_of(177, 176, 8, Content::texture), ms_ssim_request());
}

INSTANTIATE_TEST_SUITE_P(
    Devices, SsimUnderSanitizers,
    ::testing::Values(kernel::HostDeviceOptions{false, 256, kernel::ThreadOrder::forward},
                      kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::reverse},
                      kernel::HostDeviceOptions{false, 256, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

}  // namespace
}  // namespace penstock::video
