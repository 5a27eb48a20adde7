// The loops that scorers take against the plain loops that they replace.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "testdata/video_clips.hpp"
#include "video/feature.hpp"

namespace penstock::video {
namespace {

// Relative above 1. CIEDE2000 is float in place of double. float_vif has a logarithm of its own;
// float_ansnr and float_motion add in another order. All others are equal to the last bit.
double bound_of_fast(std::string_view feature) {
  if (feature == "ciede") return 2e-7;
  if (feature == "float_vif") return 1e-6;
  return feature == "float_ansnr" || feature == "float_motion" ? 1e-10 : 0;
}

using Frames = std::vector<ClipMaker::Frame>;

// Frames of a clip, of noise, and one with equal and flat pictures.
Frames frames_of(const PictureFormat& format) {
  Frames frames;
  for (const ClipKind kind : {ClipKind::scene, ClipKind::banding})
    frames.push_back(ClipMaker(format, kind).frame(3));
  std::mt19937 random(format.width * format.height);
  ClipMaker::Frame noise = frames[0];
  for (auto* bytes : {&noise.reference, &noise.distorted})
    for (std::size_t i = 0; i < bytes->size(); i++)
      (*bytes)[i] = static_cast<std::byte>(
          format.bits > 8 && i % 2 == 1 ? random() & ((1u << (format.bits - 8)) - 1) : random());
  frames.push_back(noise);
  for (std::size_t i = 0; i < noise.reference.size(); i++)
    noise.reference[i] = noise.distorted[i] =
        format.bits > 8 && i % 2 == 1 ? std::byte{0} : std::byte{90};
  frames.push_back(noise);
  return frames;
}

Scores scores_of(HostFeature& feature, const PictureFormat& format, const Frames& frames) {
  Scores scores;
  for (std::size_t i = 0; i < frames.size(); i++)
    EXPECT_TRUE(feature
                    .add(picture_of(format, frames[i].reference).value(),
                         picture_of(format, frames[i].distorted).value(), i, scores)
                    .ok());
  EXPECT_TRUE(feature.finish(frames.size(), scores).ok());
  return scores;
}

void expect_equal(const FeatureRow& row, const PictureFormat& format,
                  const std::map<std::string, std::string>& given) {
  const auto options = OptionValues::parse(row.name, row.options, given).value();
  const auto plain = row.host(format, options);
  const auto fast = row.fast_host(format, options);
  ASSERT_EQ(plain.ok(), fast.ok());
  if (!plain.ok()) return;
  const Frames frames = frames_of(format);
  const Scores expected = scores_of(*plain.value(), format, frames),
               scores = scores_of(*fast.value(), format, frames);
  EXPECT_EQ(expected.keys(), scores.keys());
  for (const std::string& key : expected.keys())
    for (std::size_t i = 0; i < frames.size(); i++) {
      const double one = expected.value(key, i).value(), other = scores.value(key, i).value();
      const bool is_same =
          one == other || (std::isnan(one) && std::isnan(other)) ||
          std::abs(one - other) <= bound_of_fast(row.name) * std::max(1.0, std::abs(one));
      EXPECT_TRUE(is_same) << key << " of frame " << i << " of " << format.width << " x "
                           << format.height << ", " << format.bits << " bits, "
                           << name_of(format.chroma) << ": " << one << " and " << other;
    }
}

std::map<std::string, std::string> all_options_of_fast(const FeatureRow& row) {
  std::map<std::string, std::string> given;
  for (const OptionRow& option : row.options)
    for (const char* name : {"enable_lcs", "full_ref", "debug"})
      if (option.name == name) given[name] = "true";
  return given;
}

TEST(FastLoops, SayWhatPlainOnesSay) {
  const PictureFormat formats[] = {
      {217, 183, 8, Chroma::c420},   {320, 177, 10, Chroma::c422}, {259, 301, 8, Chroma::c444},
      {176, 176, 16, Chroma::c420},  {321, 219, 12, Chroma::c420}, {641, 363, 8, Chroma::c422},
      {1030, 521, 10, Chroma::c420}, {19, 16, 8, Chroma::c420},    {11, 12, 8, Chroma::c444}};
  std::size_t compared = 0;
  for (const FeatureRow* row : feature_rows())
    for (const PictureFormat& format : formats)
      if (row->fast_host) expect_equal(*row, format, all_options_of_fast(*row)), compared++;
  EXPECT_GT(compared, 0u);
}

TEST(FastLoops, TakeTheOptionsOfPlainOnes) {
  const PictureFormat format = {437, 310, 8, Chroma::c420}, deep = {437, 310, 10, Chroma::c420};
  for (int scale = 1; scale <= 10; scale++) {
    expect_equal(float_ssim_row, format, {{"scale", std::to_string(scale)}});
    expect_equal(float_ssim_row, deep, {{"scale", std::to_string(scale)}});
  }
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"max_log_contrast", "0"},
                                                        {"max_log_contrast", "5"},
                                                        {"window_size", "127"},
                                                        {"window_size", "15"},
                                                        {"topk", "0.05"},
                                                        {"topk", "1"},
                                                        {"enc_bitdepth", "6"},
                                                        {"enc_bitdepth", "12"},
                                                        {"cambi_vis_lum_threshold", "5"},
                                                        {"eotf", "pq"},
                                                        {"tvi_threshold", "0.1"}}) {
    expect_equal(cambi_row, format, {{name, value}});
    expect_equal(cambi_row, deep, {{name, value}});
  }
  expect_equal(cambi_row, format, {{"enc_width", "300"}, {"enc_height", "217"}});
  expect_equal(cambi_row, {1921, 1083, 8, Chroma::none}, {{"cambi_high_res_speedup", "1080"}});
}

}  // namespace
}  // namespace penstock::video
