#include "video/features/vif_fast.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "video/features/vif_sums.hpp"
#include "video/host/image.hpp"
#include "video/host/sample_rows.hpp"

namespace penstock::video {
namespace {

using Sample = std::uint16_t;
// A row of a strip with what the filter along it reaches. Room for whole vectors.
using SampleRow = std::array<Sample, vif_strip + 32>;
using FilteredRow = std::array<double, vif_strip + 32>;

// What is filtered along columns: samples, and squares of them in two halves of 16 bits. So sums of
// 32 bits suffice: the filters' taps sum to 2^16.
enum Part : std::size_t { mean1, mean2, low1, low2, low_product, high1, high2, high_product, parts };

PENSTOCK_VECTOR_LOOP void set_products(const SampleRow& __restrict a, const SampleRow& __restrict b,
                                       std::size_t count, SampleRow& __restrict low,
                                       SampleRow& __restrict high) {
  for (std::size_t x = 0; x < count; x++) {
    const std::uint32_t product = std::uint32_t{a[x]} * b[x];
    low[x] = static_cast<Sample>(product);
    high[x] = static_cast<Sample>(product >> 16);
  }
}

// The sum of `taps` rows. Taps are symmetric.
template <std::uint32_t taps>
PENSTOCK_IN_VECTOR_LOOP std::uint32_t sum_along_y(const SampleRow* rows, const std::uint32_t* filter,
                                                  std::size_t x) {
  std::uint32_t sum = filter[taps / 2] * rows[taps / 2][x];
  for (std::uint32_t i = 0; i < taps / 2; i++)
    sum += filter[i] * (std::uint32_t{rows[i][x]} + rows[taps - 1 - i][x]);
  return sum;
}

constexpr std::uint32_t half_of(std::uint32_t bits) { return bits == 0 ? 0 : 1u << (bits - 1); }

template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_means(const SampleRow* __restrict rows,
                                       const std::uint32_t* filter, std::uint32_t bits,
                                       std::size_t count, FilteredRow& __restrict out) {
  const std::uint32_t half = half_of(bits);
  for (std::size_t x = 0; x < count; x++)
    out[x] = (sum_along_y<taps>(rows, filter, x) + half) >> bits;
}

// Squares of both halves, shifted by 16 bits at most; of samples of 8 bits there is the low one
// alone, and no shift.
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_squares(const SampleRow* __restrict low,
                                         const SampleRow* __restrict high,
                                         const std::uint32_t* filter, std::uint32_t bits,
                                         std::size_t count, FilteredRow& __restrict out) {
  const std::uint32_t half = half_of(bits), up = 16 - bits;
  for (std::size_t x = 0; x < count; x++)
    out[x] = (sum_along_y<taps>(high, filter, x) << up) +
             ((sum_along_y<taps>(low, filter, x) + half) >> bits);
}
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_low_squares(const SampleRow* __restrict low,
                                             const std::uint32_t* filter, std::size_t count,
                                             FilteredRow& __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = sum_along_y<taps>(low, filter, x);
}

// Sums along a row, below 2^48: exact. Divided by 2^shift and rounded half up: a quarter more than
// an integer is no tie.
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_along_x(const FilteredRow& __restrict in, const double* filter,
                                         bool is_shifted, std::size_t count,
                                         double* __restrict out) {
  constexpr double to_integer = 4503599627370496;  // 2^52
  const double scale = is_shifted ? 1.0 / 65536 : 1, quarter = is_shifted ? 0.25 : 0;
  for (std::size_t x = 0; x < count; x++) {
    double sum = filter[taps / 2] * in[x + taps / 2];
    for (std::uint32_t i = 0; i < taps / 2; i++)
      sum += filter[i] * (in[x + i] + in[x + taps - 1 - i]);
    out[x] = ((sum + quarter) * scale + to_integer) - to_integer;
  }
}

// One strip of columns, whose rows come in order.
template <std::uint32_t scale> class Strip {
 public:
  static constexpr std::uint32_t taps = vif_taps[scale], reach = taps / 2;

  Strip(const VifImage& reference, const VifImage& distorted, std::uint32_t first,
        std::uint32_t count, bool is_narrow)
      : images_{&reference, &distorted}, first_(first), count_(count), is_narrow_(is_narrow) {
    std::copy(vif_filters[scale], vif_filters[scale] + taps, filter_);
  }

  // Reads one more row; beyond an edge, rows and columns are reflected.
  void push(std::int64_t y) {
    const std::uint32_t row = reflect_101(y, images_[0]->height);
    std::array<SampleRow*, parts> into;
    for (std::size_t part = 0; part < parts; part++) into[part] = &ring_[part][at_];
    read(*images_[0], row, *into[mean1]), read(*images_[1], row, *into[mean2]);
    const std::size_t wide = count_ + 2 * reach;
    set_products(*into[mean1], *into[mean1], wide, *into[low1], *into[high1]);
    set_products(*into[mean2], *into[mean2], wide, *into[low2], *into[high2]);
    set_products(*into[mean1], *into[mean2], wide, *into[low_product], *into[high_product]);
    // Stored twice, the last rows follow each other from `at_` on.
    for (std::size_t part = 0; part < (is_narrow_ ? high1 : parts); part++)
      std::copy_n(into[part]->data(), wide, ring_[part][at_ + taps].data());
    at_ = at_ + 1 == taps ? 0 : at_ + 1;
  }

  // Adds the positions in the middle of the last rows.
  void add(std::uint32_t mean_bits, std::uint32_t square_bits, double gain_limit, VifSums& sums) {
    filter_mean(mean1, mean_bits, moments_.mean1);
    filter_mean(mean2, mean_bits, moments_.mean2);
    filter_square(low1, high1, square_bits, moments_.square1);
    filter_square(low2, high2, square_bits, moments_.square2);
    filter_square(low_product, high_product, square_bits, moments_.product);
    add_positions(moments_, count_, gain_limit, sums);
  }

 private:
  void read(const VifImage& image, std::uint32_t y, SampleRow& out) const {
    const Sample* row = image.row(y);
    const std::int64_t begin = std::int64_t{first_} - reach, end = begin + count_ + 2 * reach;
    const std::int64_t inside = std::max<std::int64_t>(begin, 0),
                       inside_end = std::min<std::int64_t>(end, image.width);
    std::copy(row + inside, row + inside_end, out.data() + (inside - begin));
    const auto reflect = [&](std::int64_t x) {
      out[static_cast<std::size_t>(x - begin)] = row[reflect_101(x, image.width)];
    };
    for (std::int64_t x = begin; x < inside; x++) reflect(x);
    for (std::int64_t x = inside_end; x < end; x++) reflect(x);
  }
  void filter_mean(Part part, std::uint32_t bits, double* out) {
    filter_means<taps>(ring_[part] + at_, vif_filters[scale], bits, count_ + 2 * reach, filtered_);
    filter_along_x<taps>(filtered_, filter_, false, count_, out);
  }
  void filter_square(Part low, Part high, std::uint32_t bits, double* out) {
    const std::size_t wide = count_ + 2 * reach;
    if (is_narrow_)
      filter_low_squares<taps>(ring_[low] + at_, vif_filters[scale], wide, filtered_);
    else
      filter_squares<taps>(ring_[low] + at_, ring_[high] + at_, vif_filters[scale], bits, wide,
                           filtered_);
    filter_along_x<taps>(filtered_, filter_, true, count_, out);
  }

  const VifImage* images_[2];
  std::uint32_t first_, count_;
  bool is_narrow_;
  std::size_t at_ = 0;
  double filter_[taps];
  SampleRow ring_[parts][2 * taps];
  FilteredRow filtered_;
  VifMoments moments_;
};

struct ScaleBits {
  std::uint32_t mean, square;
};

template <std::uint32_t scale>
VifSums sums_of_rows(const VifImage& reference, const VifImage& distorted, const ScaleBits& bits,
                     double gain_limit, std::uint32_t first, std::uint32_t last) {
  VifSums sums;
  for (std::uint32_t x = 0; x < reference.width; x += vif_strip) {
    const auto count = std::min<std::uint32_t>(vif_strip, reference.width - x);
    const auto strip =
        std::make_unique<Strip<scale>>(reference, distorted, x, count, bits.square == 0);
    const std::int64_t reach = Strip<scale>::reach;
    for (std::int64_t y = first - reach; y < first + reach; y++) strip->push(y);
    for (std::uint32_t y = first; y < last; y++) {
      strip->push(y + reach);
      strip->add(bits.mean, bits.square, gain_limit, sums);
    }
  }
  return sums;
}

}  // namespace

VifSums fast_vif_sums(const VifImage& reference, const VifImage& distorted, std::uint32_t scale,
                      std::uint32_t mean_bits, std::uint32_t square_bits, double gain_limit) {
  constexpr decltype(&sums_of_rows<0>) loops[] = {sums_of_rows<0>, sums_of_rows<1>,
                                                  sums_of_rows<2>, sums_of_rows<3>};
  std::mutex mutex;
  VifSums all;
  in_parallel(reference.height, vif_taps[scale], [&](std::uint64_t first, std::uint64_t last) {
    const VifSums sums =
        loops[scale](reference, distorted, {mean_bits, square_bits}, gain_limit,
                     static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
    const std::lock_guard lock(mutex);
    all.numerator += sums.numerator, all.denominator += sums.denominator;
    all.small_squares += sums.small_squares, all.small_count += sums.small_count;
  });
  return all;
}

}  // namespace penstock::video
