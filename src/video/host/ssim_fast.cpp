// SSIM of strips of columns. A strip's last eleven rows, filtered along x, are kept in its cache
// for the filter along y. Products are float and sums double in libvmaf's order: the same bits.
#include "video/host/ssim_fast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "video/host/reflect.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t taps = ssim_window.size();
constexpr std::size_t strip = 256;  // columns
constexpr std::uint32_t band = 64;  // rows that are summed by column
constexpr float c1 = 0.01f * 255 * (0.01f * 255), c2 = 0.03f * 255 * (0.03f * 255), c3 = c2 / 2;

enum Moment : std::size_t { mean1, mean2, square1, square2, product, moment_count };

PENSTOCK_VECTOR_LOOP void filter_along_x(const float* __restrict in, std::size_t count,
                                         float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    double sum = 0;
    for (std::size_t i = 0; i < taps; i++) sum += ssim_window[i] * in[x + i];
    out[x] = static_cast<float>(sum);
  }
}

using Row = std::array<float, strip>;

PENSTOCK_VECTOR_LOOP void filter_along_y(const Row* __restrict in, std::size_t count,
                                         float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    double sum = 0;
    for (std::size_t i = 0; i < taps; i++) sum += ssim_window[i] * in[i][x];
    out[x] = static_cast<float>(sum);
  }
}

PENSTOCK_VECTOR_LOOP void multiply(const float* __restrict a, const float* __restrict b,
                                   std::size_t count, float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = a[x] * b[x];
}

// Sums by column: of luminance, contrast, structure and their product.
struct Sums {
  double luminance[strip] = {}, contrast[strip] = {}, structure[strip] = {}, ssim[strip] = {};
};

PENSTOCK_VECTOR_LOOP void add_terms(const Row (&moments)[moment_count], std::size_t count,
                                    Sums& __restrict sums) {
  for (std::size_t x = 0; x < count; x++) {
    const float m1 = moments[mean1][x], m2 = moments[mean2][x];
    const float from1 = moments[square1][x] - m1 * m1, from2 = moments[square2][x] - m2 * m2;
    const float variance1 = from1 > 0 ? from1 : 0, variance2 = from2 > 0 ? from2 : 0;
    const float covariance = moments[product][x] - m1 * m2;
    const float deviations = std::sqrt(variance1 * variance2);
    const double luminance = (2.0 * m1 * m2 + c1) / (m1 * m1 + m2 * m2 + c1);
    const double contrast = (2.0 * deviations + c2) / (variance1 + variance2 + c2);
    const float of_grey = covariance < 0 ? 0 : covariance;
    const double structure = ((deviations <= 0 ? of_grey : covariance) + c3) / (deviations + c3);
    sums.luminance[x] += luminance;
    sums.contrast[x] += contrast;
    sums.structure[x] += structure;
    sums.ssim[x] += luminance * contrast * structure;
  }
}

using BandSums = std::array<double, 4>;  // product, luminance, contrast, structure

// One strip of columns. Its rows come in order.
class Strip {
 public:
  Strip(const LumaRows& reference, const LumaRows& distorted, std::size_t first, std::size_t count)
      : reference_(reference), distorted_(distorted), first_(first), count_(count) {}

  // Reads one more row of the pictures.
  void push(std::uint32_t y) {
    const std::size_t wide = count_ + taps - 1;
    const float* a = reference_.at(y, first_, wide, buffers_[0]);
    const float* b = distorted_.at(y, first_, wide, buffers_[1]);
    filter(mean1, a), filter(mean2, b);
    multiply(a, a, wide, products_), filter(square1, products_);
    multiply(b, b, wide, products_), filter(square2, products_);
    multiply(a, b, wide, products_), filter(product, products_);
    at_ = at_ + 1 == taps ? 0 : at_ + 1;
  }
  // Adds the positions with windows that end at the last row.
  void add() {
    for (std::size_t m = 0; m < moment_count; m++)
      filter_along_y(ring_[m] + at_, count_, moments_[m].data());
    add_terms(moments_, count_, sums_);
  }
  void take(BandSums& into) {
    for (std::size_t x = 0; x < count_; x++) {
      into[0] += sums_.ssim[x], into[1] += sums_.luminance[x];
      into[2] += sums_.contrast[x], into[3] += sums_.structure[x];
    }
    sums_ = {};
  }

 private:
  // Each row is stored twice, so that the last eleven follow each other from `at_` on.
  void filter(Moment moment, const float* row) {
    Row* rows = ring_[moment];
    filter_along_x(row, count_, rows[at_].data());
    rows[at_ + taps] = rows[at_];
  }
  const LumaRows &reference_, &distorted_;
  std::size_t first_, count_, at_ = 0;
  Row ring_[moment_count][2 * taps], moments_[moment_count];
  float buffers_[2][strip + taps], products_[strip + taps];
  Sums sums_;
};

}  // namespace

SsimMeans fast_ssim_means(const LumaRows& reference, const LumaRows& distorted) {
  const std::uint32_t width = reference.width() - taps + 1, height = reference.height() - taps + 1;
  const std::uint32_t bands = (height + band - 1) / band;
  std::vector<BandSums> sums(bands);
  in_parallel(bands, 1, [&](std::uint64_t first_band, std::uint64_t last_band) {
    for (std::size_t x = 0; x < width; x += strip) {
      const auto one =
          std::make_unique<Strip>(reference, distorted, x, std::min<std::size_t>(strip, width - x));
      auto y = static_cast<std::uint32_t>(first_band) * band;
      for (std::uint32_t i = 0; i + 1 < taps; i++) one->push(y + i);
      for (std::uint64_t b = first_band; b < last_band; b++) {
        for (const std::uint32_t end = std::min(y + band, height); y < end; y++)
          one->push(y + taps - 1), one->add();
        one->take(sums[b]);
      }
    }
  });
  BandSums all = {};
  for (const BandSums& one : sums)
    for (std::size_t i = 0; i < all.size(); i++) all[i] += one[i];
  const double count = double{1} * width * height;
  return {static_cast<float>(all[0] / count), static_cast<float>(all[1] / count),
          static_cast<float>(all[2] / count), static_cast<float>(all[3] / count)};
}

namespace {

// The term of a sample in the sum of a box. If the weight is a power of 2, the term is the sample
// itself: all products are exact. Else it is the product rounded to float; sums of such products in
// double are exact.
struct WholeTerms {
  using Sum = std::uint32_t;
  PENSTOCK_IN_VECTOR_LOOP static Sum of(std::uint32_t sample, float) { return sample; }
};
struct RoundedTerms {
  using Sum = double;
  PENSTOCK_IN_VECTOR_LOOP static Sum of(std::uint32_t sample, float weight) {
    return weight * static_cast<float>(sample);
  }
};

template <class Samples, class Terms>
PENSTOCK_VECTOR_LOOP void add_row(const std::byte* __restrict row, std::size_t count, float weight,
                                  typename Terms::Sum* __restrict sums) {
  for (std::size_t x = 0; x < count; x++) sums[x] += Terms::of(Samples::at(row, x), weight);
}

// The sum of `count` values from `first` on, edges reflected.
template <class Sum>
Sum sum_around(const std::vector<Sum>& values, std::int64_t first, std::uint32_t count) {
  const auto size = static_cast<std::uint32_t>(values.size());
  const bool is_inside = first >= 0 && first + count <= size;
  Sum sum = 0;
  for (std::int64_t i = first; i < first + count; i++)
    sum += values[is_inside ? static_cast<std::uint32_t>(i) : reflect_symmetric(i, size)];
  return sum;
}

template <class Samples, class Terms>
void decimate(const Picture& picture, std::uint32_t factor, float weight, double scale,
              FloatPlane& out) {
  const std::uint32_t height = picture.format.height;
  in_parallel(out.height, 1, [&](std::uint64_t first_row, std::uint64_t last_row) {
    std::vector<typename Terms::Sum> sums(picture.format.width);
    for (auto y = static_cast<std::uint32_t>(first_row); y < last_row; y++) {
      std::fill(sums.begin(), sums.end(), typename Terms::Sum{0});
      const std::int64_t first = std::int64_t{y} * factor - factor / 2;
      for (std::int64_t v = first; v < first + factor; v++)
        add_row<Samples, Terms>(row_of(picture, 0, reflect_symmetric(v, height)), sums.size(),
                                weight, sums.data());
      float* row = out.row(y);
      for (std::uint32_t x = 0; x < out.width; x++)
        row[x] = static_cast<float>(
            scale * sum_around(sums, std::int64_t{x} * factor - factor / 2, factor));
    }
  });
}

}  // namespace

void fast_decimate_by_box(const Picture& picture, std::uint32_t factor, FloatPlane& out) {
  const float weight = 1.0f / static_cast<float>(factor * factor);
  const double scale = 1.0 / (1u << (picture.format.bits - 8));
  const bool is_wide = picture.format.bits > 8;
  if (std::has_single_bit(factor))
    (is_wide ? decimate<WordSamples, WholeTerms>
             : decimate<ByteSamples, WholeTerms>)(picture, factor, weight, scale * weight, out);
  else
    (is_wide ? decimate<WordSamples, RoundedTerms>
             : decimate<ByteSamples, RoundedTerms>)(picture, factor, weight, scale, out);
}

}  // namespace penstock::video
