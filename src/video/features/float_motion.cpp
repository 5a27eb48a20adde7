// Motion of luma in floating point: the mean absolute difference of two blurred frames.
#include <algorithm>
#include <cmath>

#include "video/feature.hpp"
#include "video/features/motion_blend.hpp"
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

class HostFloatMotion final : public HostFeature {
 public:
  HostFloatMotion(const PictureFormat&, const OptionValues& options)
      : options_(options), blend_(options) {}

  Status add(const Picture& reference, const Picture&, std::uint64_t frame,
             Scores& scores) override {
    auto now = blurred(floats_of(reference, -128));
    const double score = frame == 0 ? 0 : blend_.weighted(mean_difference(before_, now));
    before_ = std::move(now);
    if (frame == 0) scores.set(options_.key("motion2"), 0, 0);
    if (options_.flag("debug")) scores.set(options_.key("motion"), frame, score);
    if (frame == 1) scores.set(options_.key("motion3"), 0, blend_(score));
    if (frame > 1) set_lesser(frame - 1, std::min(last_score_, score), scores);
    last_score_ = score;
    return {};
  }

  Status finish(std::uint64_t frame_count, Scores& scores) override {
    if (frame_count > 1) set_lesser(frame_count - 1, last_score_, scores);
    if (frame_count == 1) scores.set(options_.key("motion3"), 0, 0);
    return {};
  }

 private:
  void set_lesser(std::uint64_t frame, double score, Scores& scores) const {
    scores.set(options_.key("motion2"), frame, score);
    scores.set(options_.key("motion3"), frame, blend_(score));
  }
  OptionValues options_;
  MotionBlend blend_;
  Image<float> before_;
  double last_score_ = 0;
};

constexpr OptionRow float_motion_options[] = {
    PENSTOCK_MOTION_OPTIONS, {.name = "debug", .initial = 1, .help = "also motion"}};

}  // namespace

const FeatureRow float_motion_row = {"float_motion",
                                     "motion from frame to frame",
                                     float_motion_options,
                                     host_feature<HostFloatMotion>,
                                     nullptr,
                                     false,
                                     true};

}  // namespace penstock::video
