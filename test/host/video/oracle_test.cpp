// Host features against the oracle, which follows libvmaf's definitions and shares no code with
// them, on small pictures that are hard: where libvmaf's clips do not lead.
#include <gtest/gtest.h>

#include <cmath>

#include "video/feature.hpp"
#include "video_oracle.hpp"
#include "video_pictures.hpp"

namespace penstock::video {
namespace {

struct Case {
  const FeatureRow* row;
  PictureFormat format;
  Content content;
  oracle::Options options = {};
  std::size_t frames = 1;
};
// How far from the oracle a feature may be, relative above 1. Integers are equal to the last bit.
double bound_of(const Case& asked) {
  const std::string_view feature = asked.row->name;
  for (const char* exact : {"cambi", "psnr", "vif", "motion", "float_ssim", "float_ms_ssim"})
    if (feature == exact) return 0;
  if (feature == "float_vif") return 2e-4;
  if (feature == "float_motion" || feature == "float_ansnr") return 1e-4;
  if (feature != "ciede") return 1e-6;
  // Libvmaf rounds lightness to a float. Near white, and of a single colour, that is 4e-4 of a
  // small difference.
  const bool is_rounded = asked.content == Content::bright || asked.content == Content::one_sample;
  return is_rounded ? 5e-4 : 5e-5;
}
std::string text_of(const Case& asked) {
  std::string text =
      std::string(asked.row->name) + " " + text_of(asked.format) + ", " + name_of(asked.content);
  for (const auto& [name, value] : asked.options) text += " " + name + "=" + value;
  return text;
}

// Counts a feature's compared scores that were not 0.
std::map<std::string_view, int> nonzero_count;

void expect_near(double value, double expected, double bound, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << what << ": " << value;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(value, expected) << what;
  } else {
    EXPECT_NEAR(value, expected, bound * std::max(1.0, std::abs(expected))) << what;
  }
}

void expect_sheet(const Scores& scores, const oracle::Sheet& sheet, const OptionValues& options,
                  const Case& asked, double bound) {
  for (const auto& [name, values] : sheet.scores)
    for (std::uint64_t i = 0; i < asked.frames; i++) {
      const std::string what = options.key(name) + " of frame " + std::to_string(i);
      const auto value = scores.value(options.key(name), i);
      ASSERT_TRUE(value.has_value()) << what;
      expect_near(*value, values[i], bound, what);
      nonzero_count[asked.row->name] += values[i] != 0;
    }
  EXPECT_EQ(scores.keys().size(), sheet.scores.size());
  EXPECT_EQ(scores.aggregates().size(), sheet.aggregates.size());
  for (const auto& [name, value] : scores.aggregates())
    expect_near(value, sheet.aggregates.at(name), bound, name);
}

void expect_as_oracle(const Case& asked) {
  SCOPED_TRACE(text_of(asked));
  const auto options = OptionValues::parse(asked.row->name, asked.row->options, asked.options);
  ASSERT_TRUE(options.ok()) << options.status().text();
  auto feature = asked.row->host(asked.format, options.value());
  ASSERT_TRUE(feature.ok()) << feature.status().text();
  Scores scores;
  std::vector<oracle::Frame> frames;
  for (const auto& made : frames_of(asked.format, asked.content, asked.frames)) {
    const Status status = feature.value()->add(picture_of(asked.format, made.reference).value(),
                                               picture_of(asked.format, made.distorted).value(),
                                               frames.size(), scores);
    ASSERT_TRUE(status.ok()) << status.text();
    frames.push_back({asked.format, oracle::planes_of(asked.format, made.reference),
                      oracle::planes_of(asked.format, made.distorted)});
  }
  ASSERT_TRUE(feature.value()->finish(asked.frames, scores).ok());
  expect_sheet(scores, oracle::feature_named(asked.row->name)(frames, asked.options),
               options.value(), asked, bound_of(asked));
}

// Every score that a feature has.
oracle::Options all_oracle_scores(const FeatureRow& row) {
  oracle::Options options;
  for (const OptionRow& option : row.options)
    for (const char* name : {"enable_lcs", "enable_mse", "enable_apsnr", "full_ref", "debug"})
      if (option.name == name) options[name] = "true";
  return options;
}

// The smallest pictures that a feature takes, and a little more: odd, long and flat.
std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes_of(std::string_view feature) {
  if (feature == "cambi") return {{216, 1}, {1, 217}, {219, 67}, {131, 216}};
  if (feature == "float_ms_ssim") return {{176, 176}, {177, 179}};
  if (feature == "float_ssim") return {{11, 11}, {12, 37}, {61, 13}};
  if (feature == "vif" || feature == "float_vif") return {{16, 16}, {17, 35}, {67, 19}};
  return {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {5, 2}, {33, 17}, {64, 5}};
}

bool takes(const FeatureRow& row, Chroma chroma) {
  return row.name != "ciede" || chroma != Chroma::none;
}

TEST(VideoOracle, HostFeaturesAreRightOnHardPictures) {
  for (const FeatureRow* row : feature_rows()) {
    ASSERT_NE(oracle::feature_named(row->name), nullptr) << row->name;  // no row without an oracle
    for (const auto& [width, height] : sizes_of(row->name))
      for (const Content content : all_contents)
        expect_as_oracle(
            {row,
             {width, height, 8, takes(*row, Chroma::none) ? Chroma::none : Chroma::c420},
             content,
             all_oracle_scores(*row),
             width > 100 ? 1u : 3u});
  }
}

TEST(VideoOracle, HostFeaturesAreRightInEveryFormat) {
  for (const FeatureRow* row : feature_rows()) {
    const auto [width, height] = sizes_of(row->name).back();
    const bool is_slow = width > 100;
    for (const std::uint32_t bits : {8, 10, 12, 16})
      for (const Chroma chroma : {Chroma::none, Chroma::c420, Chroma::c422, Chroma::c444})
        for (const Content content :
             {Content::near, Content::gradient, Content::full_swing, Content::bright})
          if (takes(*row, chroma) && (!is_slow || chroma == Chroma::c422))
            expect_as_oracle(
                {row, {width, height, bits, chroma}, content, all_oracle_scores(*row), 1u});
  }
}

// Several strips, bands and threads.
TEST(VideoOracle, HostFeaturesAreRightOnLargePictures) {
  for (const FeatureRow* row : feature_rows())
    for (const PictureFormat& format :
         {PictureFormat{641, 363, 8, Chroma::c422}, {259, 301, 16, Chroma::c444}})
      expect_as_oracle({row, format, Content::near, all_oracle_scores(*row), 1u});
}

TEST(VideoOracle, ChromaOfOddSizesIsRoundedUp) {
  for (const FeatureRow* row : {&psnr_row, &ciede_row})
    for (const std::uint32_t side : {1u, 2u, 3u, 15u})
      for (const Chroma chroma : {Chroma::c420, Chroma::c422, Chroma::c444})
        expect_as_oracle(
            {row, {side, side + 2, 8, chroma}, Content::noise, all_oracle_scores(*row), 2});
}

TEST(VideoOracle, FeaturesOfMotionAreRightForAnyNumberOfFrames) {
  for (const FeatureRow* row : {&motion_row, &float_motion_row})
    for (const std::size_t frames : {1, 2, 3, 4, 5, 9})
      for (const Content content : {Content::noise, Content::full_swing, Content::gradient})
        expect_as_oracle(
            {row, {19, 13, 10, Chroma::none}, content, all_oracle_scores(*row), frames});
}

TEST(VideoOracle, OptionsOfSsimAreRightAtTheirLimits) {
  const PictureFormat format = {131, 117, 8, Chroma::none};
  for (const Content content : {Content::near, Content::equal, Content::gradient, Content::noise}) {
    for (const char* scale : {"1", "2", "3", "4", "9", "10"})
      expect_as_oracle({&float_ssim_row, format, content, {{"scale", scale}}, 1});
    for (const char* clip : {"false", "true"})
      expect_as_oracle(
          {&float_ssim_row, format, content, {{"enable_db", "true"}, {"clip_db", clip}}, 1});
  }
  for (const std::uint32_t side : {383u, 384u, 385u})  // where the decimation begins
    expect_as_oracle({&float_ssim_row, {side, side + 3, 8, Chroma::none}, Content::near, {}, 1});
  // Decibels of what is nearly 1 magnify any difference.
  for (const Content content : {Content::near, Content::equal, Content::noise})
    for (const char* clip : {"false", "true"})
      expect_as_oracle({&float_ms_ssim_row,
                        {176, 180, 10, Chroma::none},
                        content,
                        {{"enable_db", "true"}, {"clip_db", clip}}});
}

TEST(VideoOracle, OptionsOfPsnrAreRight) {
  for (const std::uint32_t bits : {8, 10, 16})
    for (const Content content : {Content::near, Content::equal, Content::one_sample})
      for (const oracle::Options& options :
           {oracle::Options{{"reduced_hbd_peak", "true"}, {"enable_apsnr", "true"}},
            {{"enable_chroma", "false"}, {"enable_mse", "true"}},
            {{"min_sse", "0.5"}, {"enable_apsnr", "true"}},
            {{"min_sse", "0.5"}, {"reduced_hbd_peak", "true"}},
            {{"min_sse", "100000"}}})
        expect_as_oracle({&psnr_row, {31, 18, bits, Chroma::c420}, content, options, 3});
}

TEST(VideoOracle, OptionsOfMotionAreRightAtTheirLimits) {
  for (const Content content : {Content::noise, Content::full_swing, Content::gradient})
    for (const FeatureRow* row : {&motion_row, &float_motion_row})
      for (const oracle::Options& options :
           {oracle::Options{{"motion_blend_factor", "0.25"}, {"motion_blend_offset", "3"}},
            {{"motion_blend_factor", "0"}, {"motion_blend_offset", "0"}},
            {{"motion_fps_weight", "5"}, {"motion_max_val", "20"}},
            {{"motion_fps_weight", "0"}},
            {{"motion_max_val", "0"}}})
        expect_as_oracle({row, {40, 30, 8, Chroma::none}, content, options, 5});
  for (const char* name : {"motion_five_frame_window", "motion_moving_average"})
    for (const std::size_t frames : {1, 2, 3, 6})
      expect_as_oracle(
          {&motion_row, {40, 30, 8, Chroma::none}, Content::noise, {{name, "true"}}, frames});
}

TEST(VideoOracle, TheGainOfVifIsLimited) {
  for (const FeatureRow* row : {&vif_row, &float_vif_row})
    for (const char* limit : {"1", "1.5", "100"})
      for (const Content content : {Content::near, Content::noise, Content::full_swing})
        expect_as_oracle(
            {row, {35, 23, 8, Chroma::none}, content, {{"vif_enhn_gain_limit", limit}}, 1});
}

TEST(VideoOracle, OptionsOfCambiAreRightAtTheirLimits) {
  const PictureFormat format = {321, 157, 10, Chroma::none};
  for (const oracle::Options& options : {
           oracle::Options{{"window_size", "15"}},
           {{"window_size", "127"}},
           {{"topk", "0.0001"}},
           {{"topk", "1"}},
           {{"cambi_topk", "0.2"}},
           {{"topk", "0.3"}, {"cambi_topk", "0.2"}},
           {{"tvi_threshold", "0.0001"}},
           {{"tvi_threshold", "0.004"}},
           {{"tvi_threshold", "1"}},
           {{"cambi_vis_lum_threshold", "0.06"}},
           {{"cambi_vis_lum_threshold", "3"}},
           {{"cambi_vis_lum_threshold", "300"}},
           {{"max_log_contrast", "0"}},
           {{"max_log_contrast", "5"}},
           {{"eotf", "pq"}},
           {{"cambi_eotf", "pq"}},
           {{"eotf", "pq"}, {"cambi_eotf", "bt1886"}},
           {{"cambi_max_val", "0.5"}, {"full_ref", "true"}},
           {{"enc_width", "320"}, {"enc_height", "150"}, {"full_ref", "true"}},
           {{"enc_width", "322"}, {"enc_height", "150"}},  // larger: not scaled at all
       })
    expect_as_oracle({&cambi_row, format, Content::gradient, options});
  for (const char* bits : {"6", "8", "9", "10", "12", "16"})
    for (const std::uint32_t picture_bits : {8u, 10u, 12u, 16u})
      expect_as_oracle({&cambi_row,
                        {217, 60, picture_bits, Chroma::none},
                        Content::gradient,
                        {{"enc_bitdepth", bits}, {"full_ref", "true"}}});
  expect_as_oracle({&cambi_row,
                    {401, 211, 8, Chroma::none},
                    Content::gradient,
                    {{"full_ref", "true"}, {"src_width", "320"}, {"src_height", "200"}}});
}

// libvmaf refuses such pictures. Here they must not write past a table of levels.
TEST(VideoOracle, CambiTakesSamplesBeyondTheirBitsAsTheHighest) {
  for (const std::uint32_t bits : {10u, 12u}) {
    const PictureFormat format = {220, 60, bits, Chroma::none};
    const auto frame = frames_of(format, Content::bright, 1)[0];
    const auto options = OptionValues::parse("cambi", cambi_row.options, {}).value();
    std::vector<double> found;
    for (const std::byte more : {std::byte{0}, std::byte{0x80}, std::byte{0xF0}}) {
      std::vector<std::byte> luma = frame.distorted;
      const auto highest = static_cast<std::byte>(((1 << bits) - 1) >> 8);
      for (std::size_t i = 0; i < luma.size(); i += 2)
        if (luma[i] == std::byte{0xFF} && luma[i + 1] == highest) luma[i + 1] |= more;
      const Picture picture = picture_of(format, luma).value();
      const auto feature = cambi_row.host(format, options).value();
      Scores scores;
      ASSERT_TRUE(feature->add(picture, picture, 0, scores).ok());
      found.push_back(scores.value("cambi", 0).value());
    }
    for (const double score : found) EXPECT_EQ(score, found[0]);
  }
}

// A comparison of two zeros shows nothing.
TEST(VideoOracle, ScoresAreNotAllZero) {
  nonzero_count.clear();
  for (const FeatureRow* row : feature_rows()) {
    const auto [width, height] = sizes_of(row->name).back();
    expect_as_oracle({row, {width, height, 8, Chroma::c420}, Content::gradient, {}, 3});
    EXPECT_GT(nonzero_count[row->name], 2) << row->name;
  }
}

}  // namespace
}  // namespace penstock::video
