// ANSNR: the ratio of the reference, blurred by 3 x 3 taps, to its difference from the distorted
// picture, blurred by 5 x 5.
#include "video/features/ansnr/ansnr_device.hpp"
#include "video/features/ansnr/ansnr_scores.hpp"
#include "video/features/motion/float_blur_fast.hpp"

namespace penstock::video {
namespace {

// libvmaf's border: without the edge's sample on the left and above, with it on the right and
// below.
std::uint32_t border(std::int64_t index, std::uint32_t size) {
  if (index < 0) index = -index;
  if (index >= size) index = 2 * std::int64_t{size} - 1 - index;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(index, 0, size - 1));
}

constexpr float of_reference[9] = {1 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 4 / 16.f,
                                   2 / 16.f, 1 / 16.f, 2 / 16.f, 1 / 16.f};
constexpr float of_distorted[25] = {2 / 571.f,  7 / 571.f,  12 / 571.f,  7 / 571.f,  2 / 571.f,
                                    7 / 571.f,  31 / 571.f, 52 / 571.f,  31 / 571.f, 7 / 571.f,
                                    12 / 571.f, 52 / 571.f, 127 / 571.f, 52 / 571.f, 12 / 571.f,
                                    7 / 571.f,  31 / 571.f, 52 / 571.f,  31 / 571.f, 7 / 571.f,
                                    2 / 571.f,  7 / 571.f,  12 / 571.f,  7 / 571.f,  2 / 571.f};

class HostAnsnr final : public HostFeature {
 public:
  HostAnsnr(const PictureFormat& format, const OptionValues&) : scores_(format) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const AnsnrSums sums =
        fast_ansnr_sums(reference, distorted, of_reference, of_distorted, border);
    scores_.set(sums.signal, sums.noise, frame, scores);
    return {};
  }

 private:
  AnsnrScores scores_;
};

}  // namespace

const FeatureRow float_ansnr_row = {.name = "float_ansnr",
                                    .summary = "signal-to-noise ratio of blurred luma",
                                    .options = {},
                                    .host = host_feature<HostAnsnr>,
                                    .device = make_device_ansnr};

}  // namespace penstock::video
