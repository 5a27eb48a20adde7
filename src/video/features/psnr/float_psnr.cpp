// PSNR of luma in the range of 8 bits.
#include <algorithm>
#include <cmath>

#include "video/features/psnr/float_psnr.hpp"
#include "video/host/row_sums.hpp"

namespace penstock::video {
namespace {

class HostFloatPsnr final : public HostFeature {
 public:
  HostFloatPsnr(const PictureFormat& format, const OptionValues&)
      : peak_(static_cast<double>((1u << format.bits) - 1) / (1u << (format.bits - 8))),
        cap_(6.0 * format.bits + 12) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    // Differences are multiples of 2^-8, and the sum of their squares in double is exact.
    const double step = 1u << (reference.format.bits - 8);
    const double noise = static_cast<double>(squared_error(reference, distorted, 0)) /
                         (step * step) /
                         (double{1} * reference.format.width * reference.format.height);
    const double score = 10 * std::log10(peak_ * peak_ / std::max(noise, 1e-10));
    scores.set("float_psnr", frame, std::min(score, cap_));
    return {};
  }

 private:
  double peak_, cap_;
};

}  // namespace

const FeatureRow float_psnr_row = {
    "float_psnr", "PSNR of luma", {}, host_feature<HostFloatPsnr>, make_device_float_psnr};

}  // namespace penstock::video
