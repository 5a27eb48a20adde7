// Motion of luma in floating point: the mean absolute difference of two blurred frames.
#include <cmath>

#include "video/features/motion/float_blur_fast.hpp"
#include "video/features/motion/motion_device.hpp"
#include "video/features/motion/motion_scores.hpp"

namespace penstock::video {
namespace {

constexpr float blur_taps[5] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                0.054488685f};

class MotionOfLuma {
 public:
  explicit MotionOfLuma(const PictureFormat& format)
      : before_(format.width, format.height), now_(format.width, format.height) {}
  // Returns the mean difference from the frame before, which is 0 of the first.
  double operator()(const Picture& picture) {
    const double sum = fast_blur(picture, blur_taps, now_, has_before_ ? &before_ : nullptr);
    std::swap(before_, now_);
    has_before_ = true;
    return sum / (double{1} * now_.width * now_.height);
  }

 private:
  FloatPlane before_, now_;
  bool has_before_ = false;
};

class HostFloatMotion final : public HostFeature {
 public:
  HostFloatMotion(const PictureFormat& format, const OptionValues& options)
      : difference_of_(format), scores_(options) {}

  Status add(const Picture& reference, const Picture&, std::uint64_t frame,
             Scores& scores) override {
    scores_.add(difference_of_(reference), frame, scores);
    return {};
  }

  Status finish(std::uint64_t frame_count, Scores& scores) override {
    scores_.finish(frame_count, scores);
    return {};
  }

 private:
  MotionOfLuma difference_of_;
  FloatMotionScores scores_;
};

constexpr OptionRow float_motion_options[] = {
    PENSTOCK_MOTION_OPTIONS, {.name = "debug", .initial = 1, .help = "also motion"}};

}  // namespace

const FeatureRow float_motion_row = {.name = "float_motion",
                                     .summary = "motion from frame to frame",
                                     .options = float_motion_options,
                                     .host = host_feature<HostFloatMotion>,
                                     .device = make_device_float_motion,
                                     .takes_every_frame = true};

}  // namespace penstock::video
