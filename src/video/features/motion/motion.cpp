// Motion: how much blurred luma differs from the frame before. Integer arithmetic throughout.
#include <algorithm>
#include <cmath>

#include "video/features/motion/motion_device.hpp"
#include "video/features/motion/motion_fast.hpp"
#include "video/features/motion/motion_scores.hpp"
#include "video/host/sample_rows.hpp"

namespace penstock::video {
namespace {

using Samples = KeptImage<std::uint16_t>;

class HostMotion final : public HostFeature {
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
            : fast_blurred_difference(last_frames_.front(), last_frames_.back(), bits_);
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
                               .host = host_feature<HostMotion>,
                               .device = make_device_motion,
                               .takes_every_frame = true};

}  // namespace penstock::video
