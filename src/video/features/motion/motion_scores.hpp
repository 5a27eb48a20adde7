// Scores of both kinds of motion from each frame's difference to the previous frame, for host and
// devices. A score that needs the next frame is set with it, or at the end.
#pragma once
#include <vector>

#include "video/features/motion/motion_blend.hpp"

namespace penstock::video {

// Motion in integers.
class MotionScores {
 public:
  MotionScores(const PictureFormat& format, const OptionValues& options);
  // The distance in frames between the two frames of a difference. The first window() frames have
  // none.
  std::uint32_t window() const { return window_; }
  // `difference`: the sum of absolute values, in 256ths; ignored for the first frames.
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

// Motion in floating point.
class FloatMotionScores {
 public:
  explicit FloatMotionScores(const OptionValues& options) : options_(options), blend_(options) {}
  // `difference`: the mean of absolute values; ignored for the first frame.
  void add(double difference, std::uint64_t frame, Scores& scores);
  void finish(std::uint64_t frame_count, Scores& scores) const;

 private:
  void set_lesser(std::uint64_t frame, double score, Scores& scores) const;

  OptionValues options_;
  MotionBlend blend_;
  double last_score_ = 0;
};

}  // namespace penstock::video
