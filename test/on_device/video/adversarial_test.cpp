// Kernels of every feature against the host's loops, which test/host/video/oracle_test.cpp compares
// with libvmaf's definitions: on hard pictures, in any company, in any order, at the same time.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <thread>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "video/feature.hpp"
#include "video_pictures.hpp"

namespace penstock::video {
namespace {

// The distance that kernels may have from the host, relative above 1: libvmaf's integers are equal
// to the last bit, and other scores are within the error of libvmaf's own sums of floats. Contrast
// and structure have the root of a variance, which magnifies the error of f32 in flat areas; their
// product has not.
double bound_of(std::string_view feature, std::string_view key) {
  for (const char* exact : {"cambi", "psnr", "vif", "motion"})
    if (feature == exact) return 0;
  if (feature == "float_vif" || key.starts_with("float_ssim_")) return 2e-4;
  if (key == "float_ms_ssim") return 1e-5;
  if (feature == "float_ms_ssim") return 1e-4;
  return feature == "float_motion" || feature == "float_ansnr" ? 1e-4 : 5e-5;
}

// Every score that a feature has.
FeatureRequest request_of(const FeatureRow& row) {
  FeatureRequest request{std::string(row.name), {}};
  for (const OptionRow& option : row.options)
    for (const char* name : {"enable_lcs", "enable_mse", "enable_apsnr", "full_ref", "debug"})
      if (option.name == name) request.options[name] = "true";
  return request;
}

std::vector<const FeatureRow*> rows_with_kernels() {
  std::vector<const FeatureRow*> rows;
  for (const FeatureRow* row : feature_rows())
    if (row->device) rows.push_back(row);
  return rows;
}

using Frames = std::vector<PictureMaker::Frame>;

ScorerOptions kernels_of(const std::shared_ptr<Device>& device) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  return options;
}
ScorerOptions on_host() {
  ScorerOptions options;
  options.device = "host";
  return options;
}

Status add(Scorer& scorer, const PictureFormat& format, const PictureMaker::Frame& frame) {
  PENSTOCK_ASSIGN(const auto reference, picture_of(format, frame.reference));
  PENSTOCK_ASSIGN(const auto distorted, picture_of(format, frame.distorted));
  return scorer.add(reference, distorted);
}

Result<Scores> scores_of(const PictureFormat& format, const Frames& frames,
                         const std::vector<FeatureRequest>& requests, ScorerOptions options) {
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, requests, std::move(options)));
  for (const auto& frame : frames) PENSTOCK_TRY(add(*scorer, format, frame));
  return scorer->finish();
}

void expect_near(double value, double expected, double bound, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << what << ": " << value;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(value, expected) << what;
  } else {
    EXPECT_NEAR(value, expected, bound * std::max(1.0, std::abs(expected))) << what;
  }
}

// Counts a feature's compared scores that were not 0.
std::map<std::string, int> nonzero_count;

void expect_near(const Scores& scores, const Scores& expected, const std::string& feature) {
  ASSERT_EQ(scores.keys(), expected.keys());
  ASSERT_EQ(scores.frame_count(), expected.frame_count());
  for (const std::string& key : expected.keys())
    for (std::uint64_t i = 0; i < expected.frame_count(); i++) {
      const auto value = scores.value(key, i), wanted = expected.value(key, i);
      ASSERT_EQ(value.has_value(), wanted.has_value()) << key << " of frame " << i;
      if (!wanted) continue;
      expect_near(*value, *wanted, bound_of(feature, key), key + " of frame " + std::to_string(i));
      nonzero_count[feature] += *wanted != 0;
    }
  ASSERT_EQ(scores.aggregates().size(), expected.aggregates().size());
  for (std::size_t i = 0; i < scores.aggregates().size(); i++) {
    const auto& [key, wanted] = expected.aggregates()[i];
    expect_near(scores.aggregates()[i].second, wanted, bound_of(feature, key), key);
  }
}

// Scores, bit for bit, also scores that are no numbers.
using Bits = std::map<std::string, std::vector<std::uint64_t>>;
Bits bits_of(const Scores& scores) {
  Bits bits;
  for (const std::string& key : scores.keys())
    for (std::uint64_t i = 0; i < scores.frame_count(); i++)
      bits[key].push_back(std::bit_cast<std::uint64_t>(scores.value(key, i).value_or(-12345)));
  for (const auto& [key, value] : scores.aggregates())
    bits[key] = {std::bit_cast<std::uint64_t>(value)};
  return bits;
}

void expect_as_host(const std::shared_ptr<Device>& device, const FeatureRequest& request,
                    const PictureFormat& format, const Frames& frames) {
  const auto expected = scores_of(format, frames, {request}, on_host());
  const auto scores = scores_of(format, frames, {request}, kernels_of(device));
  ASSERT_EQ(scores.ok(), expected.ok()) << scores.status().text() << expected.status().text();
  if (expected.ok()) {
    expect_near(scores.value(), expected.value(), request.name);
  } else {
    EXPECT_EQ(scores.status().code(), expected.status().code());
    EXPECT_EQ(scores.status().message(), expected.status().message());
  }
}

void expect_as_host(const std::shared_ptr<Device>& device, const FeatureRow& row,
                    const PictureFormat& format, Content content, std::size_t frame_count) {
  SCOPED_TRACE(std::string(row.name) + " " + text_of(format) + ", " + name_of(content));
  expect_as_host(device, request_of(row), format, frames_of(format, content, frame_count));
}

// Sizes that a feature takes, the smallest among them.
std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes_of(std::string_view feature) {
  if (feature == "cambi") return {{216, 1}, {1, 217}, {131, 216}};
  if (feature == "float_ms_ssim") return {{176, 176}, {179, 177}};
  if (feature == "float_ssim") return {{11, 11}, {61, 13}};
  if (feature == "vif" || feature == "float_vif") return {{16, 16}, {67, 19}};
  return {{1, 1}, {2, 3}, {67, 19}};
}

TEST(VideoAdversarial, KernelsScoreHardPicturesAsTheHostDoes) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : rows_with_kernels()) {
      nonzero_count.clear();
      for (const auto& [width, height] : sizes_of(row->name))
        for (const Content content : all_contents)
          expect_as_host(device, *row, {width, height, 8, Chroma::c420}, content, 2);
      EXPECT_GT(nonzero_count[std::string(row->name)], 9) << row->name;  // no zeros beside zeros
    }
  });
}

TEST(VideoAdversarial, KernelsScoreEveryFormatAsTheHostDoes) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : rows_with_kernels()) {
      const auto [width, height] = sizes_of(row->name).back();
      for (const std::uint32_t bits : {8, 10, 12, 16})
        for (const Chroma chroma : {Chroma::none, Chroma::c420, Chroma::c422, Chroma::c444})
          for (const Content content :
               {Content::near, Content::gradient, Content::full_swing, Content::bright})
            if (chroma == Chroma::c420 || (content == Content::near && row->name != "cambi"))
              expect_as_host(device, *row, {width, height, bits, chroma}, content, 2);
    }
  });
}

// Under sanitizers, with threads in no order, and with races checked.
TEST(VideoAdversarial, KernelsHaveNoFaultsOnTheHostsExecutor) {
  const auto device = kernel::make_host_device({.order = kernel::ThreadOrder::shuffled});
  for (const FeatureRow* row : rows_with_kernels()) {
    const auto [width, height] = sizes_of(row->name).front();
    const std::uint32_t bits = row->name == "float_ms_ssim" ? 8 : 10;
    for (const Content content : {Content::dark, Content::full_swing})
      expect_as_host(device, *row, {width, height + 1, bits, Chroma::c420}, content, 2);
  }
}

TEST(VideoAdversarial, SizesAreRefusedAsTheHostRefusesThem) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : rows_with_kernels())
      for (const std::uint32_t side : {1, 2, 10, 15, 16, 175})
        for (const Chroma chroma : {Chroma::none, Chroma::c420})
          expect_as_host(device, *row, {side, side + 1, 8, chroma}, Content::near, 1);
  });
}

// Rows of one sample, columns of one sample, and as many of them as a picture may have. MS-SSIM,
// which takes no thin pictures, is left out. CAMBI's window grows with the sides, beyond what its
// kernels have.
TEST(VideoAdversarial, LongPicturesAreScoredAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : rows_with_kernels()) {
      if (row->name == "float_ms_ssim") continue;
      const auto [width, height] = sizes_of(row->name).front();
      const std::uint32_t thin = std::min(width, height);
      const std::uint32_t side = row->name == "cambi" ? 23001 : max_side;
      expect_as_host(device, *row, {side, thin, 8, Chroma::c420}, Content::near, 1);
      expect_as_host(device, *row, {thin, side, 8, Chroma::c420}, Content::gradient, 1);
    }
  });
}

std::vector<FeatureRequest> all_requests(bool is_reversed) {
  std::vector<FeatureRequest> requests;
  for (const FeatureRow* row : rows_with_kernels()) requests.push_back(request_of(*row));
  if (is_reversed) std::ranges::reverse(requests);
  return requests;
}

// A format that all features take.
constexpr PictureFormat common_format = {219, 181, 8, Chroma::c420};

TEST(VideoAdversarial, ScoresDependOnNoCompanyAndNoOrder) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const Frames frames = frames_of(common_format, Content::near, 5);
    TAKE(const Scores together,
         scores_of(common_format, frames, all_requests(false), kernels_of(device)));
    TAKE(const Scores reversed,
         scores_of(common_format, frames, all_requests(true), kernels_of(device)));
    EXPECT_EQ(bits_of(together), bits_of(reversed));
    Bits alone;
    for (const FeatureRequest& request : all_requests(false)) {
      TAKE(const Scores scores, scores_of(common_format, frames, {request}, kernels_of(device)));
      alone.merge(bits_of(scores));
      // Twice is refused, or answered as once.
      const auto twice = scores_of(common_format, frames, {request, request}, kernels_of(device));
      if (twice.ok())
        EXPECT_EQ(bits_of(scores), bits_of(twice.value())) << request.name;
      else
        EXPECT_EQ(twice.status().code(), Code::invalid);
    }
    EXPECT_EQ(bits_of(together), alone);
  });
}

TEST(VideoAdversarial, ScoresAreTheSameInEveryRun) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const Frames frames = frames_of(common_format, Content::gradient, 3);
    TAKE(const Scores first,
         scores_of(common_format, frames, all_requests(false), kernels_of(device)));
    for (int run = 0; run < 4; run++) {
      TAKE(const Scores again,
           scores_of(common_format, frames, all_requests(false), kernels_of(device)));
      EXPECT_EQ(bits_of(first), bits_of(again));
    }
  });
}

// Requests that small pictures suffice for.
std::vector<FeatureRequest> small_requests(const PictureFormat& format) {
  std::vector<FeatureRequest> requests;
  for (const FeatureRequest& request : all_requests(false))
    if (Scorer::create(format, std::span(&request, 1), on_host()).ok()) requests.push_back(request);
  return requests;
}

TEST(VideoAdversarial, MoreFramesThanSlotsAreScoredWithAWaitAFrameAtMost) {
  static constexpr std::size_t frame_count = 71;
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format :
         {PictureFormat{35, 29, 8, Chroma::c420}, PictureFormat{18, 16, 10, Chroma::c444}}) {
      const Frames frames = frames_of(format, Content::near, frame_count);
      for (const FeatureRequest& request : small_requests(format)) {
        SCOPED_TRACE(request.name);
        expect_as_host(device, request, format, frames);
      }
      TAKE(const auto scorer, Scorer::create(format, small_requests(format), kernels_of(device)));
      for (const auto& frame : frames) ASSERT_OK(add(*scorer, format, frame));
      ASSERT_OK(scorer->finish());
      EXPECT_EQ(scorer->counts().frames, frame_count);
      EXPECT_LE(scorer->counts().waits, frame_count);
    }
  });
}

TEST(VideoAdversarial, ScorersOfSeveralThreadsShareADevice) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    constexpr PictureFormat format = {64, 48, 8, Chroma::c420};
    std::vector<Frames> videos;
    std::vector<Bits> expected(4), found(4);
    for (std::uint32_t i = 0; i < 4; i++) {
      videos.push_back(frames_of(format, Content::near, 40, i + 1));
      TAKE(const Scores scores,
           scores_of(format, videos[i], small_requests(format), kernels_of(device)));
      expected[i] = bits_of(scores);
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; i++)
      threads.emplace_back([&, i] {
        const auto scores =
            scores_of(format, videos[i], small_requests(format), kernels_of(device));
        if (scores.ok()) found[i] = bits_of(scores.value());
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(found, expected);
    EXPECT_NE(expected[0], expected[1]);
  });
}

TEST(VideoAdversarial, NoFramesHaveNoScores) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRequest& request : all_requests(false)) {
      SCOPED_TRACE(request.name);
      TAKE(const Scores scores, scores_of(common_format, {}, {request}, kernels_of(device)));
      EXPECT_EQ(scores.frame_count(), 0u);
      for (const auto& [key, value] : scores.aggregates()) EXPECT_FALSE(std::isnan(value)) << key;
      TAKE(const Scores on_the_host, scores_of(common_format, {}, {request}, on_host()));
      EXPECT_EQ(bits_of(scores), bits_of(on_the_host));
    }
  });
}

TEST(VideoAdversarial, AFrameOfAnotherFormatIsRefusedAndLeavesTheRestAsItWas) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const Frames frames = frames_of(common_format, Content::near, 3);
    TAKE(const auto scorer, Scorer::create(common_format, all_requests(false), kernels_of(device)));
    PictureFormat taller = common_format, deeper = common_format, wider = common_format;
    taller.height++;
    deeper.bits = 10;
    wider.chroma = Chroma::c444;
    for (const auto& frame : frames) {
      for (const PictureFormat& other : {taller, deeper, wider}) {
        const Frames strange = frames_of(other, Content::near, 1);
        EXPECT_EQ(add(*scorer, other, strange[0]).code(), Code::invalid);
        const auto half = scorer->add(picture_of(common_format, frame.reference).value(),
                                      picture_of(other, strange[0].distorted).value());
        EXPECT_EQ(half.code(), Code::invalid);
      }
      ASSERT_OK(add(*scorer, common_format, frame));
    }
    TAKE(const Scores scores, scorer->finish());
    TAKE(const Scores expected,
         scores_of(common_format, frames, all_requests(false), kernels_of(device)));
    EXPECT_EQ(bits_of(scores), bits_of(expected));
  });
}

// Samples with more bits than their format says, of which features would disagree: refused from the
// host's memory, whichever plane and video they are in. The scorer goes on with other frames.
TEST(VideoAdversarial, SamplesBeyondTheirBitsAreRefused) {
  constexpr PictureFormat format = {219, 181, 10, Chroma::c420};
  const Frames frames = frames_of(format, Content::gradient, 1);
  const auto expect_refused = [&](Scorer& scorer, std::size_t at) {
    for (const bool is_reference : {true, false}) {
      auto frame = frames[0];
      auto& planes = is_reference ? frame.reference : frame.distorted;
      planes[2 * at + 1] |= std::byte{4};
      const Status refused = add(scorer, format, frame);
      EXPECT_EQ(refused.code(), Code::invalid) << at;
      EXPECT_NE(refused.text().find("more than 10 bits"), std::string::npos) << refused.text();
    }
  };
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const ScorerRows rows : {ScorerRows::kernels, ScorerRows::host}) {
      ScorerOptions options;
      options.opened = device;
      options.rows = rows;
      TAKE(const auto scorer, Scorer::create(format, all_requests(false), std::move(options)));
      for (const std::size_t at : {std::size_t{0}, std::size_t{219 * 181 - 1},
                                   std::size_t{219 * 181}, picture_bytes(format) / 2 - 1})
        expect_refused(*scorer, at);
      ASSERT_OK(add(*scorer, format, frames[0]));
      TAKE(const Scores scores, scorer->finish());
      EXPECT_EQ(scores.frame_count(), 1u);
    }
  });
}

TEST(VideoAdversarial, NothingIsAddedAfterTheEnd) {
  const Frames frames = frames_of(common_format, Content::near, 1);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    TAKE(const auto scorer, Scorer::create(common_format, all_requests(false), kernels_of(device)));
    ASSERT_OK(add(*scorer, common_format, frames[0]));
    ASSERT_OK(scorer->finish());
    EXPECT_EQ(add(*scorer, common_format, frames[0]).code(), Code::invalid);
    EXPECT_EQ(scorer->finish().status().code(), Code::invalid);
  });
}

// Rows that are padded with bytes of no picture, from odd addresses if samples are bytes.
TEST(VideoAdversarial, PaddedRowsAreScoredAsOthers) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format :
         {PictureFormat{35, 29, 8, Chroma::c420}, PictureFormat{35, 29, 10, Chroma::c422}}) {
      const Frames frames = frames_of(format, Content::near, 2);
      const std::size_t sample_bytes = format.bits > 8 ? 2 : 1;
      std::vector<std::vector<std::byte>> kept;
      const auto padded = [&](const std::vector<std::byte>& bytes) {
        Picture picture{.format = format};
        const std::byte* from = bytes.data();
        for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
          const std::size_t row = plane_width(format, plane) * sample_bytes;
          const std::size_t stride = row + (3 + 2 * plane) * sample_bytes;
          const std::uint32_t rows = plane_height(format, plane);
          kept.emplace_back(sample_bytes + rows * stride, std::byte{0xA5});
          std::byte* to = kept.back().data() + sample_bytes;
          picture.planes[plane] = {to, stride};
          for (std::uint32_t y = 0; y < rows; y++, from += row, to += stride)
            std::copy(from, from + row, to);
        }
        return picture;
      };
      for (const bool is_host : {false, true}) {
        TAKE(const auto scorer, Scorer::create(format, small_requests(format),
                                               is_host ? on_host() : kernels_of(device)));
        for (const auto& frame : frames)
          ASSERT_OK(scorer->add(padded(frame.reference), padded(frame.distorted)));
        TAKE(const Scores scores, scorer->finish());
        TAKE(const Scores expected, scores_of(format, frames, small_requests(format),
                                              is_host ? on_host() : kernels_of(device)));
        EXPECT_EQ(bits_of(scores), bits_of(expected));
      }
    }
  });
}

// Nothing runs elsewhere than it says: kernels run where they were asked for, or not at all.
TEST(VideoAdversarial, ReportsSayWhereFeaturesRanAndNothingFallsBack) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const FeatureRow* row : feature_rows()) {
      SCOPED_TRACE(row->name);
      const FeatureRequest request = request_of(*row);
      const auto by_kernels =
          Scorer::create(common_format, std::span(&request, 1), kernels_of(device));
      EXPECT_EQ(by_kernels.ok(), row->device != nullptr);
      if (by_kernels.ok()) {
        ASSERT_EQ(by_kernels.value()->reports().size(), 1u);
        const FeatureReport& report = by_kernels.value()->reports()[0];
        EXPECT_EQ(report.feature, row->name);
        EXPECT_TRUE(report.place.starts_with(device->traits().id)) << report.place;
        EXPECT_NE(report.variant, "");
        for (const auto& frame : frames_of(common_format, Content::near, 2))
          ASSERT_OK(add(*by_kernels.value(), common_format, frame));
        EXPECT_GT(by_kernels.value()->counts().launches, 0u);
      } else {
        EXPECT_EQ(by_kernels.status().code(), Code::unsupported);
      }
      ScorerOptions options;
      options.opened = device;
      const auto automatic =
          Scorer::create(common_format, std::span(&request, 1), std::move(options));
      if (automatic.ok()) {
        const bool is_on_host = automatic.value()->reports()[0].place == "host";
        EXPECT_TRUE(!is_on_host || device->traits().shares_host_cores());
      } else {
        EXPECT_EQ(automatic.status().code(), Code::unsupported);
        EXPECT_EQ(row->device, nullptr);
      }
    }
  });
}

// libvmaf fails at these sizes: its window is larger than its table. One frame of 8K takes the
// host's loops a second, so that it is for GPUs alone.
TEST(VideoAdversarial, CambiOfLargePicturesIsThatOfTheHost) {
  if (!cambi_row.device) GTEST_SKIP() << "CAMBI has no kernels";
  on_each_shared([](const std::shared_ptr<Device>& device) {
    expect_as_host(device, cambi_row, {4096, 2160, 8, Chroma::none}, Content::gradient, 1);
    if (!device->traits().shares_host_cores())
      expect_as_host(device, cambi_row, {7680, 4320, 10, Chroma::none}, Content::gradient, 1);
  });
}

}  // namespace
}  // namespace penstock::video
