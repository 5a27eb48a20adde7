// Motion as libvmaf's motion (integers) and float_motion.
#pragma once
#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

// The sum of |blurred difference|, in 256ths of a step of 8 bits.
inline std::int64_t integer_difference(const Grid<int>& earlier, const Grid<int>& now, int bits) {
  static const std::int64_t taps[5] = {3571, 16004, 26386, 16004, 3571};
  const int w = now.width, h = now.height;
  Grid<std::int64_t> columns(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      std::int64_t sum = std::int64_t{1} << (bits - 1);
      for (int k = -2; k <= 2; k++) {
        const int row = reflect_101(y + k, h);
        sum += taps[k + 2] * (earlier.at(x, row) - now.at(x, row));
      }
      columns.at(x, y) = sum >> bits;
    }
  std::int64_t total = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      std::int64_t sum = 32768;
      for (int k = -2; k <= 2; k++) sum += taps[k + 2] * columns.at(reflect_101(x + k, w), y);
      total += std::abs(sum >> 16);
    }
  return total;
}

// motion2 and motion3 of motions that are each the difference to the frame `stride` before.
struct MotionScores {
  std::vector<double> two = {}, three = {};
};
inline MotionScores motion_scores(const std::vector<double>& motion, std::size_t stride,
                                  const Options& options) {
  const double factor = number(options, "motion_blend_factor", 1);
  const double offset = number(options, "motion_blend_offset", 40);
  const double highest = number(options, "motion_max_val", 10000);
  const auto blended = [&](double m) {
    return std::min(m * factor + (1 - factor) * std::min(offset, m), highest);
  };
  MotionScores scores;
  const std::size_t count = motion.size();
  for (std::size_t i = 0; i < count; i++) {
    double two = i < stride ? 0 : motion[i];
    if (i >= stride && i + 1 < count) {
      // Without an earlier difference, the later one alone.
      two = motion[i + 1];
      if (i + 1 - stride >= stride) two = std::min(two, motion[i + 1 - stride]);
    }
    scores.two.push_back(two);
    scores.three.push_back(blended(i < stride ? (count > stride ? motion[stride] : 0) : two));
  }
  if (!flag(options, "motion_moving_average")) return scores;
  const std::vector<double> before = scores.three;
  for (std::size_t i = stride; i < count; i++) scores.three[i] = (before[i] + before[i - 1]) / 2;
  return scores;
}

inline Sheet motion(const std::vector<Frame>& frames, const Options& options) {
  const std::size_t stride = flag(options, "motion_five_frame_window") ? 2 : 1;
  std::vector<double> motions;
  for (std::size_t i = 0; i < frames.size(); i++) {
    double score = 0;
    if (i >= stride) {
      const Grid<int>& now = frames[i].reference[0];
      const std::int64_t sum = integer_difference(frames[i - stride].reference[0], now,
                                                  static_cast<int>(frames[i].format.bits));
      score = static_cast<double>(sum) / 256 / (static_cast<double>(now.width) * now.height);
    }
    motions.push_back(std::min(score * number(options, "motion_fps_weight", 1),
                               number(options, "motion_max_val", 10000)));
  }
  const MotionScores scores = motion_scores(motions, stride, options);
  Sheet sheet{{{"VMAF_integer_feature_motion_sad_score", motions},
               {"integer_motion2", scores.two},
               {"integer_motion3", scores.three}},
              {}};
  if (flag(options, "debug")) sheet.scores["integer_motion"] = motions;
  return sheet;
}

inline Sheet float_motion(const std::vector<Frame>& frames, const Options& options) {
  static const std::vector<float> taps = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                          0.054488685f};
  std::vector<double> motions;
  Grid<float> earlier;
  for (const Frame& frame : frames) {
    const Grid<float> now =
        filtered(scaled_luma(frame.reference[0], frame.format.bits, -128), taps, reflect_101);
    double sum = 0;
    if (!motions.empty())
      for (std::size_t i = 0; i < now.size(); i++)
        sum += std::abs(static_cast<double>(earlier.values[i]) - now.values[i]);
    const double score = sum / static_cast<double>(now.size());
    motions.push_back(std::min(score * number(options, "motion_fps_weight", 1),
                               number(options, "motion_max_val", 10000)));
    earlier = now;
  }
  const MotionScores scores = motion_scores(motions, 1, options);
  Sheet sheet{{{"motion2", scores.two}, {"motion3", scores.three}}, {}};
  if (flag(options, "debug", true)) sheet.scores["motion"] = motions;
  return sheet;
}

}  // namespace penstock::video::oracle
