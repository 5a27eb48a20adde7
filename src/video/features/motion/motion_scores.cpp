#include "video/features/motion/motion_scores.hpp"

namespace penstock::video {

MotionScores::MotionScores(const PictureFormat& format, const OptionValues& options)
    : format_(format),
      options_(options),
      blend_(options),
      window_(options.flag("motion_five_frame_window") ? 2 : 1) {}

void MotionScores::add(std::uint64_t difference, std::uint64_t frame, Scores& scores) {
  const double mean =
      static_cast<double>(difference) / 256 / (double{1} * format_.width * format_.height);
  const double score = frame < window_ ? 0 : blend_.weighted(mean);
  weighted_.push_back(score);
  scores.set(options_.key("VMAF_integer_feature_motion_sad_score"), frame, score);
  if (options_.flag("debug")) scores.set(options_.key("integer_motion"), frame, score);
}

// motion2 is the lesser of the differences to the frames before and after; motion3 is that,
// blended, and of the first frames that of the first difference.
void MotionScores::finish(std::uint64_t frame_count, Scores& scores) const {
  double before = frame_count > window_ ? blend_(weighted_[window_]) : 0;
  for (std::uint64_t frame = 0; frame < frame_count; frame++) {
    const double score2 = frame < window_ ? 0 : lesser(frame);
    scores.set(options_.key("integer_motion2"), frame, score2);
    const double blended = frame < window_ ? before : blend_(score2);
    const bool is_averaged = frame >= window_ && options_.flag("motion_moving_average");
    scores.set(options_.key("integer_motion3"), frame,
               is_averaged ? (blended + before) / 2 : blended);
    before = blended;
  }
}

double MotionScores::lesser(std::uint64_t frame) const {
  if (frame + 1 >= weighted_.size()) return weighted_[frame];
  const std::uint64_t low = frame + 1 - window_;
  return low < window_ ? weighted_[frame + 1] : std::min(weighted_[low], weighted_[frame + 1]);
}

void FloatMotionScores::add(double difference, std::uint64_t frame, Scores& scores) {
  const double score = frame == 0 ? 0 : blend_.weighted(difference);
  if (frame == 0) scores.set(options_.key("motion2"), 0, 0);
  if (options_.flag("debug")) scores.set(options_.key("motion"), frame, score);
  if (frame == 1) scores.set(options_.key("motion3"), 0, blend_(score));
  if (frame > 1) set_lesser(frame - 1, std::min(last_score_, score), scores);
  last_score_ = score;
}

void FloatMotionScores::finish(std::uint64_t frame_count, Scores& scores) const {
  if (frame_count > 1) set_lesser(frame_count - 1, last_score_, scores);
  if (frame_count == 1) scores.set(options_.key("motion3"), 0, 0);
}

void FloatMotionScores::set_lesser(std::uint64_t frame, double score, Scores& scores) const {
  scores.set(options_.key("motion2"), frame, score);
  scores.set(options_.key("motion3"), frame, blend_(score));
}

}  // namespace penstock::video
