// What host and devices share of the two kinds of motion: the scores that follow from each frame's
// difference to the frame before. Those that need the next frame come with it or at the end.
#pragma once
#include <vector>

#include "video/features/motion/motion_blend.hpp"

namespace penstock::video {

// Of integers.
class MotionScores {
 public:
  MotionScores(const PictureFormat& format, const OptionValues& options);
  // The frames from one of a difference to the other. The first frames, as many, have none.
  std::uint32_t window() const { return window_; }
  // `difference`: the sum of absolute values, in 256ths; of no meaning for the first frames.
  void add(std::uint64_t difference, std::uint64_t frame, Scores& scores);
  void finish(std::uint64_t frame_count, Scores& scores) const;

 private:
  double lesser(std::uint64_t frame) const;

  PictureFormat format_;
  OptionValues options_;
  MotionBlend blend_;
  std::uint32_t window_;
  std::vector<double> weighted_;  // of all frames
};

// Of floating point.
class FloatMotionScores {
 public:
  explicit FloatMotionScores(const OptionValues& options) : options_(options), blend_(options) {}
  // `difference`: the mean of absolute values; of no meaning for the first frame.
  void add(double difference, std::uint64_t frame, Scores& scores);
  void finish(std::uint64_t frame_count, Scores& scores) const;

 private:
  void set_lesser(std::uint64_t frame, double score, Scores& scores) const;

  OptionValues options_;
  MotionBlend blend_;
  double last_score_ = 0;
};

}  // namespace penstock::video
