// VIF in floating point, of luma in the range of 8 bits.
#include <algorithm>
#include <cmath>

#include "video/features/vif/float_vif_fast.hpp"
#include "video/features/vif/vif.hpp"
#include "video/features/vif/vif_device.hpp"

namespace penstock::video {
namespace {

using Fractions = std::array<VifFraction, vif_scale_count>;
using Filters = std::vector<std::vector<float>>;  // by scale

class FloatFractionsOfScales {
 public:
  explicit FloatFractionsOfScales(const PictureFormat& format) {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++)
      for (FloatPlane& plane : scales_[scale])
        plane = {format.width >> scale, format.height >> scale};
  }
  Fractions operator()(const Picture& reference, const Picture& distorted, const Filters& filters,
                       float gain_limit) {
    fast_floats(reference, -128, scales_[0][0]);
    fast_floats(distorted, -128, scales_[0][1]);
    Fractions fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      for (std::size_t i = 0; i < 2 && scale > 0; i++)
        fast_filter_and_halve(scales_[scale - 1][i], filters[scale], scales_[scale][i]);
      fractions[scale] =
          fast_fraction(scales_[scale][0], scales_[scale][1], filters[scale], gain_limit);
    }
    return fractions;
  }

 private:
  std::array<std::array<FloatPlane, 2>, vif_scale_count> scales_;  // reference, distorted
};

class HostFloatVif final : public HostFeature {
 public:
  HostFloatVif(const PictureFormat& format, const OptionValues& options)
      : fractions_of_(format),
        scores_(options, "vif"),
        gain_limit_(static_cast<float>(options.number("vif_enhn_gain_limit"))) {
    for (const std::uint32_t taps : vif_taps) filters_.push_back(float_vif_gaussian(taps));
  }

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    scores_.set(fractions_of_(reference, distorted, filters_, gain_limit_), frame, scores);
    return {};
  }

 private:
  FloatFractionsOfScales fractions_of_;
  VifScores scores_;
  float gain_limit_;
  Filters filters_;
};

Result<std::unique_ptr<HostFeature>> make_host_float_vif(const PictureFormat& format,
                                                         const OptionValues& options) {
  PENSTOCK_TRY(check_vif_size("float_vif", format));
  return host_feature<HostFloatVif>(format, options);
}

constexpr OptionRow float_vif_options[] = {PENSTOCK_VIF_OPTIONS};

}  // namespace

std::vector<float> float_vif_gaussian(std::uint32_t taps) {
  const float deviation = static_cast<float>(taps) / 5.0f;
  std::vector<float> filter(taps);
  float sum = 0;
  for (std::uint32_t i = 0; i < taps; i++) {
    const float x = static_cast<float>(i) - static_cast<float>(taps / 2);
    filter[i] = std::exp(-x * x / (2 * deviation * deviation));
    sum += filter[i];
  }
  for (float& tap : filter) tap /= sum;
  return filter;
}

const FeatureRow float_vif_row = {.name = "float_vif",
                                  .summary = "visual information fidelity",
                                  .options = float_vif_options,
                                  .host = make_host_float_vif,
                                  .device = make_device_float_vif};

}  // namespace penstock::video
