// ANSNR: the ratio of the reference, blurred by 3 x 3 taps, to its difference from the distorted
// picture, blurred by 5 x 5.
#include "video/features/ansnr/ansnr_device.hpp"
#include "video/features/ansnr/ansnr_scores.hpp"
#include "video/features/motion/float_blur_fast.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

// libvmaf's border: without the edge's sample on the left and above, with it on the right and
// below.
std::uint32_t border(std::int64_t index, std::uint32_t size) {
  if (index < 0) index = -index;
  if (index >= size) index = 2 * std::int64_t{size} - 1 - index;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(index, 0, size - 1));
}

template <int taps>
float filtered(const Image<float>& image, const float (&filter)[taps * taps], std::uint32_t x,
               std::uint32_t y) {
  float sum = 0;
  for (int v = 0; v < taps; v++)
    for (int u = 0; u < taps; u++)
      sum += filter[v * taps + u] * image.at(border(std::int64_t{x} + u - taps / 2, image.width),
                                             border(std::int64_t{y} + v - taps / 2, image.height));
  return sum;
}

constexpr float of_reference[9] = {1 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 4 / 16.f,
                                   2 / 16.f, 1 / 16.f, 2 / 16.f, 1 / 16.f};
constexpr float of_distorted[25] = {2 / 571.f,  7 / 571.f,  12 / 571.f,  7 / 571.f,  2 / 571.f,
                                    7 / 571.f,  31 / 571.f, 52 / 571.f,  31 / 571.f, 7 / 571.f,
                                    12 / 571.f, 52 / 571.f, 127 / 571.f, 52 / 571.f, 12 / 571.f,
                                    7 / 571.f,  31 / 571.f, 52 / 571.f,  31 / 571.f, 7 / 571.f,
                                    2 / 571.f,  7 / 571.f,  12 / 571.f,  7 / 571.f,  2 / 571.f};

AnsnrSums plain_sums(const Picture& reference, const Picture& distorted) {
  const auto a = floats_of(reference, -128), b = floats_of(distorted, -128);
  AnsnrSums sums;
  for (std::uint32_t y = 0; y < a.height; y++)
    for (std::uint32_t x = 0; x < a.width; x++) {
      const float one = filtered<3>(a, of_reference, x, y);
      const float difference = one - filtered<5>(b, of_distorted, x, y);
      sums.signal += double{one} * one;
      sums.noise += double{difference} * difference;
    }
  return sums;
}
AnsnrSums fast_sums(const Picture& reference, const Picture& distorted) {
  return fast_ansnr_sums(reference, distorted, of_reference, of_distorted, border);
}

template <auto sums_of> class HostAnsnr final : public HostFeature {
 public:
  HostAnsnr(const PictureFormat& format, const OptionValues&) : scores_(format) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const AnsnrSums sums = sums_of(reference, distorted);
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
                                    .host = host_feature<HostAnsnr<plain_sums>>,
                                    .device = make_device_ansnr,
                                    .fast_host = host_feature<HostAnsnr<fast_sums>>};

}  // namespace penstock::video
