#include "video/host/ssim_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock::video {

Decibels::Decibels(const PictureFormat& format, const OptionValues& options)
    : is_on_(options.flag("enable_db")), max_(std::numeric_limits<double>::infinity()) {
  if (!options.flag("clip_db")) return;
  const double peak = static_cast<double>((1u << format.bits) - 1);
  const double min_mse = 0.5 / (double{1} * format.width * format.height);
  max_ = std::ceil(10 * std::log10(peak * peak / min_mse));
}

double Decibels::operator()(double score) const {
  return is_on_ ? std::min(-10 * std::log10(1 - score), max_) : score;
}

}  // namespace penstock::video
