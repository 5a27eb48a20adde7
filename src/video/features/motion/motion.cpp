// Motion: how much blurred luma differs from the frame before. Integer arithmetic throughout.
#include <algorithm>
#include <cmath>

#include "video/features/motion/motion_device.hpp"
#include "video/features/motion/motion_fast.hpp"
#include "video/features/motion/motion_scores.hpp"
#include "video/host/image.hpp"
#include "video/host/sample_rows.hpp"

namespace penstock::video {
namespace {

using Samples = KeptImage<std::uint16_t>;

constexpr std::int64_t blur[5] = {3571, 16004, 26386, 16004, 3571};  // sums to 2^16

std::int64_t rounded(std::int64_t sum, std::uint32_t bits) {
  return (sum + (std::int64_t{1} << (bits - 1))) >> bits;
}

// The sum of absolute values of the blurred difference.
std::uint64_t plain_blurred_difference(const Samples& before, const Samples& now,
                                       std::uint32_t bits) {
  Image<std::int32_t> columns(now.width, now.height);
  for (std::uint32_t y = 0; y < now.height; y++)
    for (std::uint32_t x = 0; x < now.width; x++) {
      std::int64_t sum = 0;
      for (int i = 0; i < 5; i++) {
        const std::uint32_t row = reflect_101(std::int64_t{y} + i - 2, now.height);
        sum += blur[i] * (std::int64_t{before.row(row)[x]} - now.row(row)[x]);
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

template <auto blurred_difference> class HostMotion final : public HostFeature {
 public:
  HostMotion(const PictureFormat& format, const OptionValues& options)
      : bits_(format.bits), scores_(format, options) {
    for (std::size_t i = 0; i <= scores_.window(); i++)
      last_frames_.emplace_back(format.width, format.height);
  }

  Status add(const Picture& reference, const Picture&, std::uint64_t frame,
             Scores& scores) override {
    std::rotate(last_frames_.begin(), last_frames_.begin() + 1, last_frames_.end());
    set_samples(reference, 0, last_frames_.back());
    const std::uint64_t difference =
        frame < scores_.window()
            ? 0
            : blurred_difference(last_frames_.front(), last_frames_.back(), bits_);
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
  std::vector<Samples> last_frames_;  // the last is the newest
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

const FeatureRow motion_row = {.name = "motion",
                               .summary = "motion from frame to frame, of integers",
                               .options = motion_options,
                               .host = host_feature<HostMotion<plain_blurred_difference>>,
                               .device = make_device_motion,
                               .fast_host = host_feature<HostMotion<fast_blurred_difference>>,
                               .takes_every_frame = true};

}  // namespace penstock::video
