#include "video/features/vif/float_vif_fast.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "base/parallel.hpp"
#include "video/host/reflect.hpp"
#include "video/host/sums.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t strip = 512, most_reach = 8;  // columns
using Columns = std::array<float, strip + 2 * most_reach>;

// Sums of the filter's inputs along columns, then along rows.
struct Moments {
  Columns mean1, mean2, square1, square2, product;
  template <class Each> void for_each(const Each& each) {
    for (Columns* one : {&mean1, &mean2, &square1, &square2, &product}) each(*one);
  }
};

PENSTOCK_VECTOR_LOOP void add_products(const float* __restrict a, const float* __restrict b,
                                       std::size_t first, std::size_t last, float tap,
                                       Moments& __restrict sums) {
  for (std::size_t x = first; x < last; x++) {
    const float one = a[x - first], other = b[x - first];
    sums.mean1[x] += tap * one, sums.mean2[x] += tap * other;
    sums.square1[x] += tap * (one * one), sums.square2[x] += tap * (other * other);
    sums.product[x] += tap * (one * other);
  }
}

PENSTOCK_VECTOR_LOOP void add_tap(const float* __restrict row, std::size_t count, float tap,
                                  float* __restrict sums) {
  for (std::size_t x = 0; x < count; x++) sums[x] += tap * row[x];
}

template <std::uint32_t taps, std::uint32_t step>
PENSTOCK_VECTOR_LOOP void filter_along_x(const float* __restrict in, const float* __restrict filter,
                                         std::size_t count, float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    float sum = 0;
    for (std::uint32_t i = 0; i < taps; i++) sum += filter[i] * in[step * x + i];
    out[x] = sum;
  }
}
template <std::uint32_t step>
void filter_along_x(const float* in, const std::vector<float>& filter, std::size_t count,
                    float* out) {
  constexpr decltype(&filter_along_x<17, step>) loops[] = {
      filter_along_x<17, step>, filter_along_x<9, step>, filter_along_x<5, step>,
      filter_along_x<3, step>};
  const auto scale = std::ranges::find(vif_taps, filter.size()) - std::begin(vif_taps);
  loops[scale](in, filter.data(), count, out);
}

// Returns log2 of 1 or more, by the series of the inverse hyperbolic tangent.
PENSTOCK_IN_VECTOR_LOOP float log2_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  const std::int32_t exponent = (bits - 0x3F3504F3) >> 23;  // mantissas of sqrt(1/2) to sqrt(2)
  const float mantissa = std::bit_cast<float>(bits - (exponent << 23));
  const float t = (mantissa - 1) / (mantissa + 1), t2 = t * t;
  const float series = ((0.32059889f * t2 + 0.41219858f) * t2 + 0.57707802f) * t2 + 0.96179669f;
  return (series * t2 + 2.88539008f) * t + static_cast<float>(exponent);
}

PENSTOCK_IN_VECTOR_LOOP float at_least(float value, float least) {
  return value > least ? value : least;
}

// The positions' terms of the numerator and the denominator: `information` of float_vif.cpp.
PENSTOCK_VECTOR_LOOP void set_information(const Moments& __restrict m, std::size_t count,
                                          float gain_limit, float* __restrict numerators,
                                          float* __restrict denominators) {
  constexpr float epsilon = 1e-10f, noise = 2;
  for (std::size_t x = 0; x < count; x++) {
    const float m1 = m.mean1[x], m2 = m.mean2[x];
    const float variance1 = at_least(m.square1[x] - m1 * m1, 0);
    const float variance2 = at_least(m.square2[x] - m2 * m2, 0);
    const float covariance = m.product[x] - m1 * m2;
    const float any_gain = covariance / (variance1 + epsilon);
    const bool is_dark = variance2 < epsilon, is_inverse = any_gain < 0;
    const float any_left = is_inverse ? variance2 : variance2 - any_gain * covariance;
    const float left = at_least(is_dark ? 0 : any_left, epsilon);
    const float some_gain = (is_dark | is_inverse) ? 0 : any_gain;
    const float gain = some_gain < gain_limit ? some_gain : gain_limit;
    const float signal = log2_of(1 + gain * gain * variance1 / (left + noise));
    const float all = log2_of(1 + variance1 / noise);
    const bool is_flat = variance1 < noise;
    const float numerator = covariance < 0 ? 0 : signal;
    numerators[x] = is_flat ? 1 - variance2 * 4 / 65025.0f : numerator;
    denominators[x] = is_flat ? 1 : all;
  }
}

struct RowSums {
  double numerator = 0, denominator = 0;
};

// Sums over strips of a row.
class Strips {
 public:
  Strips(const FloatPlane& reference, const FloatPlane& distorted, const std::vector<float>& filter,
         float gain_limit)
      : a_(reference),
        b_(distorted),
        filter_(filter),
        reach_(static_cast<std::uint32_t>(filter.size() / 2)),
        gain_limit_(gain_limit) {}

  RowSums operator()(std::uint32_t y) {
    RowSums sums;
    for (std::uint32_t x = 0; x < a_.width; x += strip) {
      const std::uint32_t count = std::min(strip, a_.width - x);
      filter_along_y(y, x, count);
      columns_.for_each([&](Columns& one) { reflect(x, count, one); });
      filter_along_x<1>(columns_.mean1.data(), filter_, count, moments_.mean1.data());
      filter_along_x<1>(columns_.mean2.data(), filter_, count, moments_.mean2.data());
      filter_along_x<1>(columns_.square1.data(), filter_, count, moments_.square1.data());
      filter_along_x<1>(columns_.square2.data(), filter_, count, moments_.square2.data());
      filter_along_x<1>(columns_.product.data(), filter_, count, moments_.product.data());
      set_information(moments_, count, gain_limit_, numerators_, denominators_);
      sums.numerator += sum_of(numerators_, count);
      sums.denominator += sum_of(denominators_, count);
    }
    return sums;
  }

 private:
  // Columns from x - reach on, but only inside the image.
  void filter_along_y(std::uint32_t y, std::uint32_t x, std::uint32_t count) {
    columns_.for_each([](Columns& one) { one.fill(0); });
    const std::uint32_t begin = x - std::min(x, reach_);
    const std::uint32_t end = std::min(x + count + reach_, a_.width);
    for (std::uint32_t i = 0; i < filter_.size(); i++) {
      const std::uint32_t row = reflect_101(std::int64_t{y} + i - reach_, a_.height);
      add_products(a_.row(row) + begin, b_.row(row) + begin, begin + reach_ - x, end + reach_ - x,
                   filter_[i], columns_);
    }
  }
  void reflect(std::uint32_t x, std::uint32_t count, Columns& columns) const {
    const auto at = [&](std::int64_t column) -> float& {
      return columns[static_cast<std::size_t>(column + reach_ - x)];
    };
    for (std::int64_t c = std::int64_t{x} - reach_; c < 0; c++)
      at(c) = at(reflect_101(c, a_.width));
    for (std::int64_t c = a_.width; c < std::int64_t{x} + count + reach_; c++)
      at(c) = at(reflect_101(c, a_.width));
  }
  const FloatPlane &a_, &b_;
  const std::vector<float>& filter_;
  std::uint32_t reach_;
  float gain_limit_;
  Moments columns_, moments_;
  float numerators_[strip], denominators_[strip];
};

}  // namespace

void fast_floats(const Picture& picture, float offset, FloatPlane& out) {
  in_parallel(out.height, 64, [&](std::uint64_t first, std::uint64_t last) {
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++)
      set_floats(row_of(picture, 0, y), picture.format.bits, 0, out.width, offset, out.row(y));
  });
}

void fast_filter_and_halve(const FloatPlane& image, const std::vector<float>& filter,
                           FloatPlane& out) {
  const std::uint32_t width = image.width;
  const auto reach = static_cast<std::int64_t>(filter.size() / 2);
  in_parallel(out.height, 1, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<float> row(width + 2 * most_reach);
    float* const inside = row.data() + reach;
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
      std::fill(row.begin(), row.end(), 0.0f);
      for (std::size_t i = 0; i < filter.size(); i++)
        add_tap(image.row(reflect_101(2 * std::int64_t{y} + static_cast<std::int64_t>(i) - reach,
                                      image.height)),
                width, filter[i], inside);
      for (std::int64_t i = 1; i <= reach; i++) {
        inside[-i] = inside[reflect_101(-i, width)];
        inside[width - 1 + i] = inside[reflect_101(width - 1 + i, width)];
      }
      filter_along_x<2>(row.data(), filter, out.width, out.row(y));
    }
  });
}

VifFraction fast_fraction(const FloatPlane& reference, const FloatPlane& distorted,
                          const std::vector<float>& filter, float gain_limit) {
  std::vector<RowSums> rows(reference.height);
  in_parallel(reference.height, 1, [&](std::uint64_t first, std::uint64_t last) {
    const auto strips = std::make_unique<Strips>(reference, distorted, filter, gain_limit);
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++) rows[y] = (*strips)(y);
  });
  RowSums all;
  for (const RowSums& row : rows)
    all.numerator += row.numerator, all.denominator += row.denominator;
  return {static_cast<float>(all.numerator), static_cast<float>(all.denominator)};
}

}  // namespace penstock::video
