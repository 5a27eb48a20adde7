// Motion: how much blurred luma differs from the frame before. Integer arithmetic throughout.
#include <algorithm>
#include <cmath>

#include "video/feature.hpp"
#include "video/features/motion_blend.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

constexpr std::int64_t blur[5] = {3571, 16004, 26386, 16004, 3571};  // sums to 2^16

std::int64_t rounded(std::int64_t sum, std::uint32_t bits) {
  return (sum + (std::int64_t{1} << (bits - 1))) >> bits;
}

// The sum of absolute values of the blurred difference.
std::uint64_t blurred_difference(const Image<std::uint16_t>& before,
                                 const Image<std::uint16_t>& now, std::uint32_t bits) {
  Image<std::int32_t> columns(now.width, now.height);
  for (std::uint32_t y = 0; y < now.height; y++)
    for (std::uint32_t x = 0; x < now.width; x++) {
      std::int64_t sum = 0;
      for (int i = 0; i < 5; i++) {
        const std::uint32_t row = reflect_101(std::int64_t{y} + i - 2, now.height);
        sum += blur[i] * (std::int64_t{before.at(x, row)} - now.at(x, row));
      }
      columns.at(x, y) = static_cast<std::int32_t>(rounded(sum, bits));
    }
  std::uint64_t total = 0;
  for (std::uint32_t y = 0; y < now.height; y++)
    for (std::uint32_t x = 0; x < now.width; x++) {
      std::int64_t sum = 0;
      for (int i = 0; i < 5; i++)
        sum += blur[i] * columns.at(reflect_101(std::int64_t{x} + i - 2, now.width), y);
      total += static_cast<std::uint64_t>(std::abs(rounded(sum, 16)));
    }
  return total;
}

class HostMotion final : public HostFeature {
 public:
  HostMotion(const PictureFormat& format, const OptionValues& options)
      : format_(format),
        options_(options),
        blend_(options),
        window_(options.flag("motion_five_frame_window") ? 2 : 1) {}

  Status add(const Picture& reference, const Picture&, std::uint64_t frame,
             Scores& scores) override {
    auto luma = samples_of(reference, 0);
    double score = 0;
    if (before_.size() == window_) {
      const std::uint64_t sum = blurred_difference(before_.front(), luma, format_.bits);
      score = blend_.weighted(static_cast<double>(sum) / 256 /
                              (double{1} * format_.width * format_.height));
      before_.erase(before_.begin());
    }
    before_.push_back(std::move(luma));
    sums_.push_back(score);
    scores.set(options_.key("VMAF_integer_feature_motion_sad_score"), frame, score);
    if (options_.flag("debug")) scores.set(options_.key("integer_motion"), frame, score);
    return {};
  }

  // motion2 is the lesser of the differences to the frames before and after; motion3 is that,
  // blended, and of the first frames that of the first difference.
  Status finish(std::uint64_t frame_count, Scores& scores) override {
    double before = frame_count > window_ ? blend_(sums_[window_]) : 0;
    for (std::uint64_t frame = 0; frame < frame_count; frame++) {
      const double score2 = frame < window_ ? 0 : lesser(frame);
      scores.set(options_.key("integer_motion2"), frame, score2);
      const double blended = frame < window_ ? before : blend_(score2);
      const bool is_averaged = frame >= window_ && options_.flag("motion_moving_average");
      scores.set(options_.key("integer_motion3"), frame,
                 is_averaged ? (blended + before) / 2 : blended);
      before = blended;
    }
    return {};
  }

 private:
  double lesser(std::uint64_t frame) const {
    if (frame + 1 >= sums_.size()) return sums_[frame];
    const std::uint64_t low = frame + 1 - window_;
    return low < window_ ? sums_[frame + 1] : std::min(sums_[low], sums_[frame + 1]);
  }

  PictureFormat format_;
  OptionValues options_;
  MotionBlend blend_;
  std::size_t window_;
  std::vector<Image<std::uint16_t>> before_;
  std::vector<double> sums_;
};

constexpr OptionRow motion_options[] = {PENSTOCK_MOTION_OPTIONS,
                                        {.name = "motion_five_frame_window",
                                         .alias = "mffw",
                                         .in_key = true,
                                         .help = "differences over two frames"},
                                        {.name = "motion_moving_average",
                                         .alias = "mma",
                                         .in_key = true,
                                         .help = "motion3 is averaged with the frame before"},
                                        {.name = "debug", .help = "also integer_motion"}};

}  // namespace

const FeatureRow motion_row = {"motion",
                               "motion from frame to frame, of integers",
                               motion_options,
                               host_feature<HostMotion>,
                               nullptr,
                               false,
                               true};

}  // namespace penstock::video
