#include "video/features/vif/vif_fast.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "video/features/vif/vif_sums.hpp"
#include "video/host/reflect.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

using Sample = std::uint16_t;
// A row of a strip with the columns that the filter along it reaches. Room for whole vectors.
using Row = std::array<Sample, vif_strip + 32>;

// The filter's inputs: samples, and their squares in two halves of 16 bits. So 32-bit sums suffice:
// the filters' taps sum to 2^16. Squares of 8-bit samples only have the low half.
enum Part : std::size_t {
  mean1,
  mean2,
  low1,
  low2,
  low_product,
  high1,
  high2,
  high_product,
  parts
};

PENSTOCK_VECTOR_LOOP void set_products(const Row& __restrict a, const Row& __restrict b,
                                       std::size_t count, Row& __restrict low,
                                       Row& __restrict high) {
  for (std::size_t x = 0; x < count; x++) {
    const std::uint32_t product = std::uint32_t{a[x]} * b[x];
    low[x] = static_cast<Sample>(product);
    high[x] = static_cast<Sample>(product >> 16);
  }
}

// The sum over a window of columns or of rows. Taps are symmetric.
template <std::uint32_t taps>
PENSTOCK_IN_VECTOR_LOOP std::uint32_t sum_along_y(const Row* rows, const std::uint32_t* filter,
                                                  std::size_t x) {
  std::uint32_t sum = filter[taps / 2] * rows[taps / 2][x];
  for (std::uint32_t i = 0; i < taps / 2; i++)
    sum += filter[i] * (std::uint32_t{rows[i][x]} + rows[taps - 1 - i][x]);
  return sum;
}
template <std::uint32_t taps>
PENSTOCK_IN_VECTOR_LOOP std::uint32_t sum_along_x(const Row& row, const std::uint32_t* filter,
                                                  std::size_t x) {
  std::uint32_t sum = filter[taps / 2] * row[x + taps / 2];
  for (std::uint32_t i = 0; i < taps / 2; i++)
    sum += filter[i] * (std::uint32_t{row[x + i]} + row[x + taps - 1 - i]);
  return sum;
}

constexpr std::uint32_t half_of(std::uint32_t bits) { return bits == 0 ? 0 : 1u << (bits - 1); }

template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_means(const Row* __restrict rows, const std::uint32_t* filter,
                                       std::uint32_t bits, std::size_t count, Row& __restrict out) {
  const std::uint32_t half = half_of(bits);
  for (std::size_t x = 0; x < count; x++)
    out[x] = static_cast<Sample>((sum_along_y<taps>(rows, filter, x) + half) >> bits);
}

// Sums of squares, shifted by 16 bits at most, in two halves again.
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_squares(const Row* __restrict low, const Row* __restrict high,
                                         const std::uint32_t* filter, std::uint32_t bits,
                                         std::size_t count, Row& __restrict out_low,
                                         Row& __restrict out_high) {
  const std::uint32_t half = half_of(bits), up = 16 - bits;
  for (std::size_t x = 0; x < count; x++) {
    const std::uint32_t sum = (sum_along_y<taps>(high, filter, x) << up) +
                              ((sum_along_y<taps>(low, filter, x) + half) >> bits);
    out_low[x] = static_cast<Sample>(sum), out_high[x] = static_cast<Sample>(sum >> 16);
  }
}
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_low_squares(const Row* __restrict low, const std::uint32_t* filter,
                                             std::size_t count, Row& __restrict out_low,
                                             Row& __restrict out_high) {
  for (std::size_t x = 0; x < count; x++) {
    const std::uint32_t sum = sum_along_y<taps>(low, filter, x);
    out_low[x] = static_cast<Sample>(sum), out_high[x] = static_cast<Sample>(sum >> 16);
  }
}

template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_along_x(const Row& __restrict in, const std::uint32_t* filter,
                                         std::size_t count, std::uint32_t* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = sum_along_x<taps>(in, filter, x);
}
// The sum of squares, shifted by 16 bits and rounded.
template <std::uint32_t taps>
PENSTOCK_VECTOR_LOOP void filter_along_x(const Row& __restrict low, const Row& __restrict high,
                                         const std::uint32_t* filter, std::size_t count,
                                         std::uint32_t* __restrict out) {
  for (std::size_t x = 0; x < count; x++)
    out[x] =
        sum_along_x<taps>(high, filter, x) + ((sum_along_x<taps>(low, filter, x) + 32768) >> 16);
}

// One strip of columns. Its rows come in order.
template <std::uint32_t scale> class Strip {
 public:
  static constexpr std::uint32_t taps = vif_taps[scale], reach = taps / 2;
  static constexpr std::size_t kept_rows = 4 * taps;

  // `is_narrow`: samples have 8 bits.
  Strip(const VifImage& reference, const VifImage& distorted, std::uint32_t first,
        std::uint32_t count, bool is_narrow)
      : images_{&reference, &distorted}, first_(first), count_(count), is_narrow_(is_narrow) {}

  // Reads one more row; beyond an edge, rows and columns are reflected.
  void push(std::int64_t y) {
    const std::uint32_t row = reflect_101(y, images_[0]->height);
    if (next_ == kept_rows) keep_last();
    const auto into = [&](Part part) -> Row& { return rows_[part][next_]; };
    read(*images_[0], row, into(mean1)), read(*images_[1], row, into(mean2));
    const std::size_t wide = count_ + 2 * reach;
    set_products(into(mean1), into(mean1), wide, into(low1), into(high1));
    set_products(into(mean2), into(mean2), wide, into(low2), into(high2));
    set_products(into(mean1), into(mean2), wide, into(low_product), into(high_product));
    next_++;
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
  void read(const VifImage& image, std::uint32_t y, Row& out) const {
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
  // Makes room after the last rows, but for one.
  void keep_last() {
    for (auto& rows : rows_) std::copy(rows + kept_rows - taps + 1, rows + kept_rows, rows);
    next_ = taps - 1;
  }
  const Row* window(Part part) const { return rows_[part] + next_ - taps; }
  void filter_mean(Part part, std::uint32_t bits, std::uint32_t* out) {
    filter_means<taps>(window(part), filter, bits, count_ + 2 * reach, filtered_[0]);
    filter_along_x<taps>(filtered_[0], filter, count_, out);
  }
  void filter_square(Part low, Part high, std::uint32_t bits, std::uint32_t* out) {
    const std::size_t wide = count_ + 2 * reach;
    if (is_narrow_)
      filter_low_squares<taps>(window(low), filter, wide, filtered_[0], filtered_[1]);
    else
      filter_squares<taps>(window(low), window(high), filter, bits, wide, filtered_[0],
                           filtered_[1]);
    filter_along_x<taps>(filtered_[0], filtered_[1], filter, count_, out);
  }

  static constexpr const std::uint32_t* filter = vif_filters[scale];
  const VifImage* images_[2];
  std::uint32_t first_, count_;
  bool is_narrow_;
  std::size_t next_ = 0;
  Row rows_[parts][kept_rows], filtered_[2];
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
  constexpr decltype(&sums_of_rows<0>) loops[] = {sums_of_rows<0>, sums_of_rows<1>, sums_of_rows<2>,
                                                  sums_of_rows<3>};
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
