// VIF of integers: visual information fidelity at four scales, in libvmaf's fixed point.
#include <algorithm>
#include <bit>
#include <cmath>

#include "video/features/vif/vif_device.hpp"
#include "video/features/vif/vif_fast.hpp"
#include "video/host/image.hpp"
#include "video/host/sample_rows.hpp"
#include "video/host/vif_scale.hpp"

namespace penstock::video {
namespace {

std::uint64_t rounded(std::uint64_t sum, std::uint32_t bits) {
  return bits == 0 ? sum : (sum + (std::uint64_t{1} << (bits - 1))) >> bits;
}

// The samples that a scale is made from: filtered, every second row and column kept.
Image<std::uint16_t> decimated(const Image<std::uint16_t>& image, std::uint32_t scale,
                               std::uint32_t first_bits) {
  const int taps = static_cast<int>(vif_taps[scale]);
  Image<std::uint16_t> columns(image.width, image.height / 2),
      out(image.width / 2, image.height / 2);
  for (std::uint32_t y = 0; y < columns.height; y++)
    for (std::uint32_t x = 0; x < columns.width; x++) {
      std::uint64_t sum = 0;
      for (int i = 0; i < taps; i++)
        sum += std::uint64_t{vif_filters[scale][i]} *
               image.at(x, reflect_101(2 * std::int64_t{y} + i - taps / 2, image.height));
      columns.at(x, y) = static_cast<std::uint16_t>(rounded(sum, first_bits));
    }
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) {
      std::uint64_t sum = 0;
      for (int i = 0; i < taps; i++)
        sum += std::uint64_t{vif_filters[scale][i]} *
               columns.at(reflect_101(2 * std::int64_t{x} + i - taps / 2, columns.width), y);
      out.at(x, y) = static_cast<std::uint16_t>(rounded(sum, 16));
    }
  return out;
}

// Filtered sums of one column of the window: means and products.
struct Columns {
  std::uint32_t mean1, mean2, square1, square2, product;
};

class ScaleStatistics {
 public:
  ScaleStatistics(const Image<std::uint16_t>& a, const Image<std::uint16_t>& b, std::uint32_t scale,
                  std::uint32_t mean_bits, std::uint32_t square_bits)
      : a_(a),
        b_(b),
        scale_(scale),
        taps_(static_cast<int>(vif_taps[scale])),
        mean_bits_(mean_bits),
        square_bits_(square_bits) {}

  VifSums sums(double gain_limit) const {
    VifSums sums;
    std::vector<Columns> row(a_.width);
    for (std::uint32_t y = 0; y < a_.height; y++) {
      for (std::uint32_t x = 0; x < a_.width; x++) row[x] = column(x, y);
      for (std::uint32_t x = 0; x < a_.width; x++) add(row, x, gain_limit, sums);
    }
    return sums;
  }

 private:
  Columns column(std::uint32_t x, std::uint32_t y) const {
    std::uint64_t s[5] = {};
    for (int i = 0; i < taps_; i++) {
      const std::uint32_t at = reflect_101(std::int64_t{y} + i - taps_ / 2, a_.height);
      const std::uint64_t f = vif_filters[scale_][i], p = a_.at(x, at), q = b_.at(x, at);
      s[0] += f * p, s[1] += f * q, s[2] += f * p * p, s[3] += f * q * q, s[4] += f * p * q;
    }
    const auto of = [](std::uint64_t sum, std::uint32_t bits) {
      return static_cast<std::uint32_t>(rounded(sum, bits));
    };
    return {of(s[0], mean_bits_), of(s[1], mean_bits_), of(s[2], square_bits_),
            of(s[3], square_bits_), of(s[4], square_bits_)};
  }

  void add(const std::vector<Columns>& row, std::uint32_t x, double gain_limit,
           VifSums& sums) const {
    std::uint64_t s[5] = {};
    for (int i = 0; i < taps_; i++) {
      const Columns& c = row[reflect_101(std::int64_t{x} + i - taps_ / 2, a_.width)];
      const std::uint64_t f = vif_filters[scale_][i];
      s[0] += f * c.mean1, s[1] += f * c.mean2, s[2] += f * c.square1, s[3] += f * c.square2,
          s[4] += f * c.product;
    }
    const auto variance = [](std::uint64_t squares, std::uint64_t one, std::uint64_t other) {
      const std::uint64_t means = (one * other + 2147483648u) >> 32;
      return static_cast<std::int32_t>(static_cast<std::uint32_t>((squares + 32768) >> 16) -
                                       static_cast<std::uint32_t>(means));
    };
    sums.add(variance(s[2], s[0], s[0]), variance(s[3], s[1], s[1]), variance(s[4], s[0], s[1]),
             gain_limit);
  }

  const Image<std::uint16_t>&a_, &b_;
  std::uint32_t scale_;
  int taps_;
  std::uint32_t mean_bits_, square_bits_;
};

// By how much filtered means and squares of a scale are shifted.
std::uint32_t mean_bits(std::uint32_t scale, std::uint32_t bits) { return scale == 0 ? bits : 16; }
std::uint32_t square_bits(std::uint32_t scale, std::uint32_t bits) {
  return scale == 0 ? 2 * (bits - 8) : 16;
}
std::uint32_t decimated_bits(std::uint32_t scale, std::uint32_t bits) {
  return scale == 1 ? bits : 16;
}

using Fractions = std::array<VifFraction, vif_scale_count>;

class PlainVif {
 public:
  explicit PlainVif(const PictureFormat& format) : bits_(format.bits) {}
  Fractions operator()(const Picture& reference, const Picture& distorted, double gain_limit) {
    auto a = samples_of(reference, 0), b = samples_of(distorted, 0);
    Fractions fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      if (scale > 0) {
        a = decimated(a, scale, decimated_bits(scale, bits_));
        b = decimated(b, scale, decimated_bits(scale, bits_));
      }
      fractions[scale] =
          ScaleStatistics(a, b, scale, mean_bits(scale, bits_), square_bits(scale, bits_))
              .sums(gain_limit)
              .fraction();
    }
    return fractions;
  }

 private:
  std::uint32_t bits_;
};

class FastVif {
 public:
  explicit FastVif(const PictureFormat& format) : bits_(format.bits) {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++)
      for (VifImage& image : scales_[scale])
        image = {format.width >> scale, format.height >> scale};
  }
  Fractions operator()(const Picture& reference, const Picture& distorted, double gain_limit) {
    set_samples(reference, 0, scales_[0][0]);
    set_samples(distorted, 0, scales_[0][1]);
    Fractions fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      for (std::size_t i = 0; i < 2 && scale > 0; i++)
        fast_vif_decimate(scales_[scale - 1][i], scale, decimated_bits(scale, bits_),
                          scales_[scale][i]);
      fractions[scale] =
          fast_vif_sums(scales_[scale][0], scales_[scale][1], scale, mean_bits(scale, bits_),
                        square_bits(scale, bits_), gain_limit)
              .fraction();
    }
    return fractions;
  }

 private:
  std::uint32_t bits_;
  std::array<std::array<VifImage, 2>, vif_scale_count> scales_;  // reference, distorted
};

template <class Vif> class HostVif final : public HostFeature {
 public:
  HostVif(const PictureFormat& format, const OptionValues& options)
      : fractions_of_(format),
        scores_(options, "integer_vif"),
        gain_limit_(options.number("vif_enhn_gain_limit")) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    scores_.set(fractions_of_(reference, distorted, gain_limit_), frame, scores);
    return {};
  }

 private:
  Vif fractions_of_;
  VifScores scores_;
  double gain_limit_;
};

template <class Vif>
Result<std::unique_ptr<HostFeature>> make_host_vif(const PictureFormat& format,
                                                   const OptionValues& options) {
  PENSTOCK_TRY(check_vif_size("vif", format));
  return host_feature<HostVif<Vif>>(format, options);
}

constexpr OptionRow vif_options[] = {PENSTOCK_VIF_OPTIONS};

}  // namespace

void VifSums::add(std::int32_t variance1, std::int32_t variance2_or_less, std::int32_t covariance,
                  double gain_limit) {
  constexpr std::int32_t noise = 131072;  // 2 in fixed point
  const std::int32_t variance2 = std::max(variance2_or_less, 0);
  if (variance1 < noise) {
    small_squares += variance2;
    small_count++;
    return;
  }
  denominator +=
      log2_fixed(static_cast<std::uint64_t>(noise) + static_cast<std::uint64_t>(variance1)) -
      2048 * 17;
  if (covariance <= 0 || variance2 <= 0) return;
  double gain = covariance / (variance1 + 65536.0 * 1e-10);
  const std::int64_t left = std::max(0, static_cast<std::int32_t>(variance2 - gain * covariance));
  gain = std::min(gain, gain_limit);
  const auto signal = static_cast<std::int64_t>(gain * gain * variance1);
  numerator += log2_fixed(static_cast<std::uint64_t>(signal + left + noise)) -
               log2_fixed(static_cast<std::uint64_t>(left + noise));
}

VifFraction VifSums::fraction() const {
  const double small = static_cast<double>(small_count);
  return {static_cast<float>(static_cast<double>(numerator) / 2048 +
                             (small - static_cast<double>(small_squares) / 16384 / 65025)),
          static_cast<float>(static_cast<double>(denominator) / 2048 + small)};
}

// The sixteen leading bits' logarithm from a table of round(2048 * log2), as libvmaf has it.
std::int64_t log2_fixed(std::uint64_t value) {
  const int shift = std::max(0, 48 - std::countl_zero(value));
  const auto leading = static_cast<float>(value >> shift);
  return std::lround(std::log2(leading) * 2048) + 2048 * shift;
}

const FeatureRow vif_row = {.name = "vif",
                            .summary = "visual information fidelity, of integers",
                            .options = vif_options,
                            .host = make_host_vif<PlainVif>,
                            .device = make_device_vif,
                            .fast_host = make_host_vif<FastVif>};

}  // namespace penstock::video
