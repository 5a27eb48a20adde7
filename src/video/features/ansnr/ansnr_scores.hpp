// Converts ANSNR's sums of squares to scores, for host and devices.
#pragma once
#include <algorithm>
#include <cmath>

#include "video/feature.hpp"

namespace penstock::video {

class AnsnrScores {
 public:
  explicit AnsnrScores(const PictureFormat& format)
      : peak_(static_cast<double>((1u << format.bits) - 1) / (1u << (format.bits - 8))),
        cap_(6.0 * format.bits + 12),
        samples_(static_cast<double>(std::uint64_t{format.width} * format.height)) {}

  // Sums of the squares of the blurred reference, and of its difference from the distorted picture.
  void set(double signal, double noise, std::uint64_t frame, Scores& scores) const {
    scores.set("float_ansnr", frame, noise == 0 ? cap_ : 10 * std::log10(signal / noise));
    const double anpsnr = 10 * std::log10(peak_ * peak_ * samples_ / std::max(noise, 1e-10));
    scores.set("float_anpsnr", frame, std::min(anpsnr, cap_));
  }

 private:
  double peak_, cap_, samples_;
};

}  // namespace penstock::video
