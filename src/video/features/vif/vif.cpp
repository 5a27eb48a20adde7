// VIF of integers: visual information fidelity at four scales, in libvmaf's fixed point.
#include <algorithm>
#include <bit>
#include <cmath>

#include "video/features/vif/vif_device.hpp"
#include "video/features/vif/vif_fast.hpp"
#include "video/host/sample_rows.hpp"
#include "video/host/vif_scale.hpp"

namespace penstock::video {
namespace {

// By how much filtered means and squares of a scale are shifted.
std::uint32_t mean_bits(std::uint32_t scale, std::uint32_t bits) { return scale == 0 ? bits : 16; }
std::uint32_t square_bits(std::uint32_t scale, std::uint32_t bits) {
  return scale == 0 ? 2 * (bits - 8) : 16;
}
std::uint32_t decimated_bits(std::uint32_t scale, std::uint32_t bits) {
  return scale == 1 ? bits : 16;
}

using Fractions = std::array<VifFraction, vif_scale_count>;

class FractionsOfScales {
 public:
  explicit FractionsOfScales(const PictureFormat& format) : bits_(format.bits) {
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

class HostVif final : public HostFeature {
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
  FractionsOfScales fractions_of_;
  VifScores scores_;
  double gain_limit_;
};

Result<std::unique_ptr<HostFeature>> make_host_vif(const PictureFormat& format,
                                                   const OptionValues& options) {
  PENSTOCK_TRY(check_vif_size("vif", format));
  return host_feature<HostVif>(format, options);
}

constexpr OptionRow vif_options[] = {PENSTOCK_VIF_OPTIONS};

}  // namespace

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
                            .host = make_host_vif,
                            .device = make_device_vif};

}  // namespace penstock::video
