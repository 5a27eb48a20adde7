// Options, keys, pooling and the files of scores.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "video/feature.hpp"
#include "video/output/score_plot.hpp"
#include "video/output/score_writer.hpp"

namespace penstock::video {
namespace {

TEST(VideoOptions, KeysNameOptionsThatAreNotAtTheirDefaults) {
  const auto key = [](std::map<std::string, std::string> given) {
    return OptionValues::parse("cambi", cambi_row.options, given).value().key("cambi");
  };
  EXPECT_EQ(key({}), "cambi");
  EXPECT_EQ(key({{"enc_width", "960"}, {"enc_height", "540"}, {"enc_bitdepth", "8"}}),
            "cambi_encbd_8_ench_540_encw_960");
  EXPECT_EQ(key({{"encw", "960"}, {"window_size", "65"}, {"full_ref", "true"}}), "cambi_encw_960");
}

TEST(VideoOptions, WrongOnesAreNamed) {
  const auto message = [](std::map<std::string, std::string> given) {
    return OptionValues::parse("cambi", cambi_row.options, given).status().message();
  };
  EXPECT_EQ(message({{"window", "65"}}),
            "feature 'cambi' has no option 'window'; did you mean 'window_size'?");
  for (const char* value : {"14", "128", "65.5", "x", "", "65 ", "nan", "inf", "1e300"})
    EXPECT_NE(message({{"window_size", value}}), "") << value;
  EXPECT_NE(message({{"full_ref", "maybe"}}), "");
}

TEST(VideoScores, PoolAsLibvmafDoes) {
  Scores scores;
  const double values[] = {1, 3, 0};
  for (std::uint64_t i = 0; i < 3; i++) scores.set("x", i, values[i]);
  const Pooled pooled = scores.pooled("x");
  EXPECT_EQ(pooled.min, 0);
  EXPECT_EQ(pooled.max, 3);
  EXPECT_DOUBLE_EQ(pooled.mean, 4 / 3.0);
  EXPECT_DOUBLE_EQ(pooled.harmonic_mean, 3 / (1 / 2.0 + 1 / 4.0 + 1) - 1);
  EXPECT_EQ(scores.pooled("x", 2).max, 1);
}

TEST(VideoScores, DecimalsShowSmallFractions) {
  EXPECT_EQ(score_text(0.97713447), "0.977134");
  EXPECT_EQ(score_text(3.0000005), "3.0000005000000001");
  EXPECT_EQ(score_text(2), "2.000000");
  EXPECT_EQ(score_text(std::numeric_limits<double>::infinity()), "inf");
}

Scores scores_of_two_frames() {
  Scores scores;
  scores.set("float_ssim", 0, 0.977134);
  scores.set("ciede2000", 0, std::numeric_limits<double>::infinity());
  scores.set("float_ssim", 1, 0.5);
  return scores;
}

TEST(VideoScores, JsonHasNullForInfinity) {
  const std::string text =
      write_scores(scores_of_two_frames(), ScoreFormat::json, {.version = "v"});
  EXPECT_NE(text.find("\"float_ssim\": 0.977134,\n        \"ciede2000\": null\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(VideoScores, CsvAndSubHaveLibvmafsLayout) {
  EXPECT_EQ(write_scores(scores_of_two_frames(), ScoreFormat::csv, {}),
            "Frame,float_ssim,ciede2000,\n0,0.977134,inf,\n1,0.500000,,\n");
  EXPECT_EQ(write_scores(scores_of_two_frames(), ScoreFormat::sub, {}),
            "{0}{1}frame: 0|float_ssim: 0.977134|ciede2000: inf|\n"
            "{1}{2}frame: 1|float_ssim: 0.500000|\n");
}

TEST(VideoScores, XmlHasPooledMetrics) {
  const std::string text = write_scores(scores_of_two_frames(), ScoreFormat::xml,
                                        {.width = 576, .height = 324, .version = "v"});
  EXPECT_NE(text.find("<params qualityWidth=\"576\" qualityHeight=\"324\" />"), std::string::npos);
  EXPECT_NE(text.find("<metric name=\"float_ssim\" min=\"0.500000\" max=\"0.977134\""),
            std::string::npos)
      << text;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) count++;
  return count;
}

TEST(VideoPlot, LinesOfOneScaleShareAPanel) {
  Scores scores;
  for (std::uint64_t frame = 0; frame < 50; frame++) {
    const double x = static_cast<double>(frame);
    scores.set("psnr_y", frame, 30 + std::sin(x));
    scores.set("psnr_cb", frame, 30 + std::cos(x));
    scores.set("float_ssim", frame, 0.9 + 0.01 * std::sin(x));
  }
  const std::string plot = plot_scores(scores, 1);
  EXPECT_EQ(count_of(plot, "<path"), 3u);
  EXPECT_EQ(count_of(plot, "fill=\"none\" stroke=\"#999999\""), 2u);  // frames of panels
}

TEST(VideoPlot, ManyFramesAreThinnedOutAndKeepTheirPeaks) {
  Scores scores;
  for (std::uint64_t frame = 0; frame < 200000; frame++)
    scores.set("cambi", frame, frame == 123456 ? 100 : static_cast<double>(frame % 7));
  const std::string plot = plot_scores(scores, 1);
  EXPECT_LT(plot.size(), 100000u);
  EXPECT_NE(plot.find(">100<"), std::string::npos);
  EXPECT_EQ(plot, plot_scores(scores, 1));
}

TEST(VideoPlot, WhatIsInfiniteIsAGap) {
  Scores scores;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [frame, score] : {std::pair{0u, 1.0}, {1u, infinity}, {2u, 2.0}, {3u, 2.0}})
    scores.set("x", frame, score);
  scores.set("never", 0, infinity);
  const std::string plot = plot_scores(scores, 1);
  const std::size_t path = plot.find("<path d=\"M");
  EXPECT_EQ(count_of(plot.substr(path, plot.find('>', path) - path), "M"), 2u) << plot;
  EXPECT_NE(plot.find("never: no finite score"), std::string::npos);
  EXPECT_EQ(plot.find("inf"), std::string::npos);
  EXPECT_EQ(plot.find("nan"), std::string::npos);
}

TEST(VideoPlot, NothingIsDrawnOfNothing) {
  EXPECT_NE(plot_scores({}, 1).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace penstock::video
