// VIF in floating point, of luma in the range of 8 bits.
#include <algorithm>
#include <cmath>

#include "video/features/vif/float_vif_fast.hpp"
#include "video/features/vif/vif.hpp"
#include "video/features/vif/vif_device.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

Image<float> filtered(const Image<float>& image, const std::vector<float>& filter) {
  const auto half = static_cast<std::int64_t>(filter.size() / 2);
  Image<float> columns(image.width, image.height), out(image.width, image.height);
  for (std::uint32_t y = 0; y < image.height; y++)
    for (std::uint32_t x = 0; x < image.width; x++)
      for (std::size_t i = 0; i < filter.size(); i++)
        columns.at(x, y) +=
            filter[i] *
            image.at(x, reflect_101(y + static_cast<std::int64_t>(i) - half, image.height));
  for (std::uint32_t y = 0; y < image.height; y++)
    for (std::uint32_t x = 0; x < image.width; x++)
      for (std::size_t i = 0; i < filter.size(); i++)
        out.at(x, y) +=
            filter[i] *
            columns.at(reflect_101(x + static_cast<std::int64_t>(i) - half, image.width), y);
  return out;
}

Image<float> every_second(const Image<float>& image) {
  Image<float> out(image.width / 2, image.height / 2);
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) out.at(x, y) = image.at(2 * x, 2 * y);
  return out;
}

Image<float> product(const Image<float>& a, const Image<float>& b) {
  Image<float> out(a.width, a.height);
  for (std::size_t i = 0; i < out.values.size(); i++) out.values[i] = a.values[i] * b.values[i];
  return out;
}

// The terms of one position in a scale's numerator and denominator.
std::array<float, 2> information(float variance1, float variance2, float covariance,
                                 float gain_limit) {
  constexpr float epsilon = 1e-10f, noise = 2;
  if (variance1 < noise) return {1 - variance2 * 4 / 65025.0f, 1};
  variance2 = std::max(variance2, 0.0f);
  float gain = covariance / (variance1 + epsilon), left = variance2 - gain * covariance;
  if (variance2 < epsilon) gain = 0, left = 0;
  if (gain < 0) gain = 0, left = variance2;
  left = std::max(left, epsilon);
  gain = std::min(gain, gain_limit);
  const float denominator = std::log2(1 + variance1 / noise);
  if (covariance < 0) return {0, denominator};
  return {std::log2(1 + gain * gain * variance1 / (left + noise)), denominator};
}

VifFraction fraction(const Image<float>& a, const Image<float>& b, const std::vector<float>& filter,
                     float gain_limit) {
  const auto mean1 = filtered(a, filter), mean2 = filtered(b, filter);
  const auto square1 = filtered(product(a, a), filter), square2 = filtered(product(b, b), filter);
  const auto both = filtered(product(a, b), filter);
  double sums[2] = {};
  for (std::size_t i = 0; i < mean1.values.size(); i++) {
    const float m1 = mean1.values[i], m2 = mean2.values[i];
    const float variance1 = std::max(0.0f, square1.values[i] - m1 * m1);
    const float variance2 = std::max(0.0f, square2.values[i] - m2 * m2);
    const auto [numerator, denominator] =
        information(variance1, variance2, both.values[i] - m1 * m2, gain_limit);
    sums[0] += numerator;
    sums[1] += denominator;
  }
  return {static_cast<float>(sums[0]), static_cast<float>(sums[1])};
}

using Fractions = std::array<VifFraction, vif_scale_count>;
using Filters = std::vector<std::vector<float>>;  // by scale

class PlainFloatVif {
 public:
  explicit PlainFloatVif(const PictureFormat&) {}
  Fractions operator()(const Picture& reference, const Picture& distorted, const Filters& filters,
                       float gain_limit) {
    auto a = floats_of(reference, -128), b = floats_of(distorted, -128);
    Fractions fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      if (scale > 0) {
        a = every_second(filtered(a, filters[scale]));
        b = every_second(filtered(b, filters[scale]));
      }
      fractions[scale] = fraction(a, b, filters[scale], gain_limit);
    }
    return fractions;
  }
};

class FastFloatVif {
 public:
  explicit FastFloatVif(const PictureFormat& format) {
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

template <class Vif> class HostFloatVif final : public HostFeature {
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
  Vif fractions_of_;
  VifScores scores_;
  float gain_limit_;
  Filters filters_;
};

template <class Vif>
Result<std::unique_ptr<HostFeature>> make_host_float_vif(const PictureFormat& format,
                                                         const OptionValues& options) {
  PENSTOCK_TRY(check_vif_size("float_vif", format));
  return host_feature<HostFloatVif<Vif>>(format, options);
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
                                  .host = make_host_float_vif<PlainFloatVif>,
                                  .device = make_device_float_vif,
                                  .fast_host = make_host_float_vif<FastFloatVif>};

}  // namespace penstock::video
