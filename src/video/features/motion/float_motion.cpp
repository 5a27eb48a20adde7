// Motion of luma in floating point: the mean absolute difference of two blurred frames.
#include <cmath>

#include "video/features/motion/float_blur_fast.hpp"
#include "video/features/motion/motion_device.hpp"
#include "video/features/motion/motion_scores.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

constexpr float blur_taps[5] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                0.054488685f};

Image<float> blurred(const Image<float>& image) {
  Image<float> columns(image.width, image.height), out(image.width, image.height);
  for (std::uint32_t y = 0; y < image.height; y++)
    for (std::uint32_t x = 0; x < image.width; x++)
      for (int i = 0; i < 5; i++)
        columns.at(x, y) +=
            blur_taps[i] * image.at(x, reflect_101(std::int64_t{y} + i - 2, image.height));
  for (std::uint32_t y = 0; y < image.height; y++)
    for (std::uint32_t x = 0; x < image.width; x++)
      for (int i = 0; i < 5; i++)
        out.at(x, y) +=
            blur_taps[i] * columns.at(reflect_101(std::int64_t{x} + i - 2, image.width), y);
  return out;
}

double mean_difference(const Image<float>& a, const Image<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); i++) sum += std::abs(a.values[i] - b.values[i]);
  return sum / static_cast<double>(a.values.size());
}

class PlainMotion {
 public:
  explicit PlainMotion(const PictureFormat&) {}
  // The mean difference from the frame before; of the first, 0.
  double operator()(const Picture& picture) {
    auto now = blurred(floats_of(picture, -128));
    const double mean = before_.width == 0 ? 0 : mean_difference(before_, now);
    before_ = std::move(now);
    return mean;
  }

 private:
  Image<float> before_;
};

class FastMotion {
 public:
  explicit FastMotion(const PictureFormat& format)
      : before_(format.width, format.height), now_(format.width, format.height) {}
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

template <class Motion> class HostFloatMotion final : public HostFeature {
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
  Motion difference_of_;
  FloatMotionScores scores_;
};

constexpr OptionRow float_motion_options[] = {
    PENSTOCK_MOTION_OPTIONS, {.name = "debug", .initial = 1, .help = "also motion"}};

}  // namespace

const FeatureRow float_motion_row = {.name = "float_motion",
                                     .summary = "motion from frame to frame",
                                     .options = float_motion_options,
                                     .host = host_feature<HostFloatMotion<PlainMotion>>,
                                     .device = make_device_float_motion,
                                     .fast_host = host_feature<HostFloatMotion<FastMotion>>,
                                     .takes_every_frame = true};

}  // namespace penstock::video
