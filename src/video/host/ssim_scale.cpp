#include "video/host/ssim_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock::video {
namespace {

constexpr std::uint32_t taps = ssim_window.size();
constexpr float c1 = 0.01f * 255 * (0.01f * 255), c2 = 0.03f * 255 * (0.03f * 255), c3 = c2 / 2;

// The window's sums where it fits: along rows, then along columns. Products are float, sums double,
// and each pass is stored as float, as in libvmaf.
Image<float> windowed(const Image<float>& image) {
  Image<float> rows(image.width - taps + 1, image.height);
  for (std::uint32_t y = 0; y < rows.height; y++)
    for (std::uint32_t x = 0; x < rows.width; x++) {
      double sum = 0;
      for (std::uint32_t i = 0; i < taps; i++) sum += ssim_window[i] * image.at(x + i, y);
      rows.at(x, y) = static_cast<float>(sum);
    }
  Image<float> out(rows.width, image.height - taps + 1);
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) {
      double sum = 0;
      for (std::uint32_t i = 0; i < taps; i++) sum += ssim_window[i] * rows.at(x, y + i);
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

Image<float> product(const Image<float>& a, const Image<float>& b) {
  Image<float> out(a.width, a.height);
  for (std::size_t i = 0; i < out.values.size(); i++) out.values[i] = a.values[i] * b.values[i];
  return out;
}

struct Moments {
  float mean1, mean2, square1, square2, product;
};
// Luminance, contrast and structure at one position, in double where libvmaf has it.
std::array<double, 3> terms(const Moments& m) {
  const float variance1 = std::max(0.0f, m.square1 - m.mean1 * m.mean1);
  const float variance2 = std::max(0.0f, m.square2 - m.mean2 * m.mean2);
  float covariance = m.product - m.mean1 * m.mean2;
  const float deviations = std::sqrt(variance1 * variance2);
  const double luminance =
      (2.0 * m.mean1 * m.mean2 + c1) / (m.mean1 * m.mean1 + m.mean2 * m.mean2 + c1);
  const double contrast = (2.0 * deviations + c2) / (variance1 + variance2 + c2);
  if (covariance < 0 && deviations <= 0) covariance = 0;
  return {luminance, contrast, (covariance + c3) / (deviations + c3)};
}

}  // namespace

SsimMeans ssim_means(const Image<float>& reference, const Image<float>& distorted) {
  const auto mean1 = windowed(reference), mean2 = windowed(distorted);
  const auto square1 = windowed(product(reference, reference));
  const auto square2 = windowed(product(distorted, distorted));
  const auto both = windowed(product(reference, distorted));
  double sums[4] = {};
  for (std::size_t i = 0; i < mean1.values.size(); i++) {
    const auto [l, c, s] = terms(
        {mean1.values[i], mean2.values[i], square1.values[i], square2.values[i], both.values[i]});
    sums[0] += l * c * s;
    sums[1] += l;
    sums[2] += c;
    sums[3] += s;
  }
  const auto count = static_cast<double>(mean1.values.size());
  return {static_cast<float>(sums[0] / count), static_cast<float>(sums[1] / count),
          static_cast<float>(sums[2] / count), static_cast<float>(sums[3] / count)};
}

Image<float> decimate_by_box(const Image<float>& image, std::uint32_t factor) {
  Image<float> out(image.width / factor + image.width % 2,
                   image.height / factor + image.height % 2);
  const std::int64_t first = -std::int64_t{factor / 2};
  const float weight = 1.0f / static_cast<float>(factor * factor);
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) {
      double sum = 0;
      for (std::int64_t v = first; v < first + factor; v++)
        for (std::int64_t u = first; u < first + factor; u++)
          sum += weight * image.at(reflect_symmetric(std::int64_t{x} * factor + u, image.width),
                                   reflect_symmetric(std::int64_t{y} * factor + v, image.height));
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

Image<float> decimate_by_low_pass(const Image<float>& image) {
  constexpr int reach = LOW_PASS_REACH;
  Image<float> out(image.width / 2 + image.width % 2, image.height / 2 + image.height % 2);
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) {
      double sum = 0;
      for (int v = -reach; v <= reach; v++)
        for (int u = -reach; u <= reach; u++)
          sum += low_pass_weight(v, u) *
                 image.at(reflect_symmetric(2 * std::int64_t{x} + u, image.width),
                          reflect_symmetric(2 * std::int64_t{y} + v, image.height));
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

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
