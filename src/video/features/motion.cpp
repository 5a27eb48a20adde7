// Motion: how much blurred luma differs from the frame before. Integer arithmetic throughout.
#include <cmath>

#include "video/features/motion_device.hpp"
#include "video/features/motion_scores.hpp"
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
      : bits_(format.bits), scores_(format, options) {}

  Status add(const Picture& reference, const Picture&, std::uint64_t frame,
             Scores& scores) override {
    auto luma = samples_of(reference, 0);
    std::uint64_t difference = 0;
    if (before_.size() == scores_.window()) {
      difference = blurred_difference(before_.front(), luma, bits_);
      before_.erase(before_.begin());
    }
    before_.push_back(std::move(luma));
    scores_.add(difference, frame, scores);
    return {};
  }

  Status finish(std::uint64_t frame_count, Scores& scores) override {
    scores_.finish(frame_count, scores);
    return {};
  }

 private:
  std::uint32_t bits_;
  MotionScores scores_;
  std::vector<Image<std::uint16_t>> before_;
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

const FeatureRow motion_row = {"motion", "motion from frame to frame, of integers", motion_options,
                               host_feature<HostMotion>, make_device_motion};

}  // namespace penstock::video
