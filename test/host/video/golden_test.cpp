// Host features against libvmaf's scores.
#include <gtest/gtest.h>

#include <cmath>

#include "video/feature.hpp"
#include "video_golden.hpp"

namespace penstock::video {
namespace {

// The distance that a feature may have from libvmaf. Integers, and sums of doubles in its order,
// are
// equal to the last bit. libvmaf sums float_motion and float_ansnr in float, row by row; its
// float_vif cancels where pictures are flat and dark.
double golden_bound_of(std::string_view feature) {
  if (feature == "ciede") return 2e-6;
  if (feature == "float_motion" || feature == "float_ansnr") return 1e-4;
  return feature == "float_vif" ? 2e-4 : 0;
}

OptionValues all_options(const FeatureRow& row) {
  std::map<std::string, std::string> given;
  for (const OptionRow& option : row.options)
    for (const char* name : {"enable_lcs", "enable_mse", "full_ref", "debug"})
      if (option.name == name) given[name] = "true";
  return OptionValues::parse(row.name, row.options, given).value();
}

Scores scores_of(const FeatureRow& row, const GoldenClip& clip) {
  Scores scores;
  const auto feature = row.host(clip.format, all_options(row)).value();
  ClipMaker maker(clip.format, clip.kind);
  for (std::uint64_t i = 0; i < golden_frames; i++) {
    const auto frame = maker.frame(static_cast<std::int32_t>(i));
    EXPECT_TRUE(feature
                    ->add(picture_of(clip.format, frame.reference).value(),
                          picture_of(clip.format, frame.distorted).value(), i, scores)
                    .ok());
  }
  EXPECT_TRUE(feature->finish(golden_frames, scores).ok());
  return scores;
}

TEST(VideoGolden, HostScoresAreThoseOfLibvmaf) {
  for (const GoldenClip& clip : golden_clips())
    for (const FeatureRow* row : feature_rows()) {
      const Scores scores = scores_of(*row, clip);
      std::size_t compared = 0;
      for (const GoldenScore& golden : clip.scores) {
        if (golden.feature != row->name) continue;
        for (std::uint64_t i = 0; i < golden_frames; i++)
          EXPECT_NEAR(scores.value(golden.key, i).value(), golden.scores[i],
                      golden_bound_of(row->name) * std::max(1.0, std::abs(golden.scores[i])))
              << clip.name << " " << golden.key << " " << i;
        compared++;
      }
      EXPECT_GT(compared, 0u) << row->name;  // no feature without an oracle
    }
}

// A test of scores that are 0 on both sides would show nothing.
TEST(VideoGolden, BandingIsNotZero) {
  for (const GoldenClip& clip : golden_clips())
    for (const GoldenScore& golden : clip.scores) {
      if (golden.key == "cambi") { EXPECT_GT(golden.scores[0], 0.05) << clip.name; }
    }
}

double cambi_of_first(const PictureFormat& format, ClipKind kind,
                      std::map<std::string, std::string> given, std::string_view key) {
  const auto options = OptionValues::parse("cambi", cambi_row.options, given).value();
  const auto feature = cambi_row.host(format, options).value();
  ClipMaker maker(format, kind);
  const auto frame = maker.frame(0);
  Scores scores;
  EXPECT_TRUE(feature
                  ->add(picture_of(format, frame.reference).value(),
                        picture_of(format, frame.distorted).value(), 0, scores)
                  .ok());
  return scores.value(key, 0).value_or(-1);
}

TEST(VideoGolden, OptionsOfCambiMeanWhatTheyDoInLibvmaf) {
  const PictureFormat small = {576, 324}, small_10 = {576, 324, 10}, medium = {1280, 720};
  using enum ClipKind;
  EXPECT_EQ(cambi_of_first(medium, scene, {{"enc_width", "959"}, {"enc_height", "541"}},
                           "cambi_ench_541_encw_959"),
            8.013543082846347);
  EXPECT_EQ(cambi_of_first(small, banding, {{"max_log_contrast", "5"}}, "cambi_mlc_5"),
            19.901269896500217);
  EXPECT_EQ(cambi_of_first(small, banding, {{"window_size", "127"}}, "cambi_ws_127"),
            8.2063457469480596);
  EXPECT_EQ(cambi_of_first(small, banding, {{"topk", "0.1"}}, "cambi_topk_0.1"),
            19.264655301441394);
  EXPECT_EQ(cambi_of_first(small, banding, {{"tvi_threshold", "0.05"}}, "cambi_tvit_0.05"),
            8.524527072740133);
  EXPECT_EQ(cambi_of_first(small_10, scene, {{"enc_bitdepth", "8"}}, "cambi_encbd_8"),
            8.5824491928197801);
  EXPECT_EQ(
      cambi_of_first(small_10, banding,
                     {{"eotf", "pq"}, {"max_log_contrast", "4"}, {"cambi_vis_lum_threshold", "2"}},
                     "cambi_vlt_2_eotf_pq_mlc_4"),
      19.526476604567783);
}

}  // namespace
}  // namespace penstock::video
