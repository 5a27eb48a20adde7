// The low-pass filter of strips of columns. A sample's products with all weights of its column are
// added along columns first, which all positions to its left and right share.
#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "video/host/reflect.hpp"
#include "video/host/ssim_fast.hpp"

namespace penstock::video {
namespace {

constexpr std::size_t strip = 256;  // positions
constexpr std::size_t reach = LOW_PASS_REACH, low_pass_taps = 2 * reach + 1;

// Rows of samples, every second column of them.
using HalfRows = std::array<const float*, low_pass_taps>;

// Sums along columns that are `u` to either side of a position. Products are float and sums double,
// as in libvmaf. Floats this near to each other add up without rounding, so that the order
// does not matter.
template <int u> PENSTOCK_IN_VECTOR_LOOP double low_pass_sum(const HalfRows& in, std::size_t x) {
  double sum = low_pass_weight(0, u) * in[reach][x];
  for (std::size_t v = 1; v <= reach; v++) {
    const float weight = low_pass_weight(static_cast<int>(v), u);
    sum += weight * in[reach - v][x];
    sum += weight * in[reach + v][x];
  }
  return sum;
}

// The sums of a strip along columns, by the distance from a position.
using LowPassSums = std::array<std::array<double, strip + reach>, reach + 1>;

PENSTOCK_VECTOR_LOOP void low_pass_even_columns(const HalfRows& rows, std::size_t count,
                                                LowPassSums& __restrict sums) {
  const HalfRows in = rows;
  for (std::size_t x = 0; x < count; x++) {
    sums[0][x] = low_pass_sum<0>(in, x);
    sums[2][x] = low_pass_sum<2>(in, x);
    sums[4][x] = low_pass_sum<4>(in, x);
  }
}
PENSTOCK_VECTOR_LOOP void low_pass_odd_columns(const HalfRows& rows, std::size_t count,
                                               LowPassSums& __restrict sums) {
  const HalfRows in = rows;
  for (std::size_t x = 0; x < count; x++) {
    sums[1][x] = low_pass_sum<1>(in, x);
    sums[3][x] = low_pass_sum<3>(in, x);
  }
}
// Adds the columns of each distance, left and right of the positions.
PENSTOCK_VECTOR_LOOP void add_columns(const LowPassSums& __restrict sums, std::size_t count,
                                      float* __restrict out) {
  for (std::size_t x = 0; x < count; x++)
    out[x] = static_cast<float>(sums[0][x + 2] + (sums[1][x + 1] + sums[1][x + 2]) +
                                (sums[2][x + 1] + sums[2][x + 3]) + (sums[3][x] + sums[3][x + 3]) +
                                (sums[4][x] + sums[4][x + 4]));
}

PENSTOCK_VECTOR_LOOP void split_columns(const float* __restrict in, std::size_t count,
                                        float* __restrict even, float* __restrict odd) {
  for (std::size_t x = 0; x < count; x++) even[x] = in[2 * x], odd[x] = in[2 * x + 1];
}

// The last nine rows, their even columns and their odd ones. The first of each is four and three
// columns before the first position.
class LowPassRows {
 public:
  LowPassRows(const LumaRows& rows, std::uint32_t count)
      : rows_(rows), count_(count), padded_(rows.width() + 10), buffer_(rows.width()) {
    for (auto* ring : {&even_, &odd_})
      for (auto& row : *ring) row.resize(count + reach);
  }
  // `y` grows by 1 from call to call. Rows and columns beyond an edge are reflected.
  void push(std::int64_t y) {
    const std::uint32_t width = rows_.width();
    const float* row = rows_.at(reflect_symmetric(y, rows_.height()), 0, width, buffer_.data());
    std::copy(row, row + width, padded_.begin() + 4);
    for (std::int64_t i = 1; i <= 6; i++) {
      if (i <= 4) padded_[static_cast<std::size_t>(4 - i)] = row[reflect_symmetric(-i, width)];
      padded_[static_cast<std::size_t>(width + 3 + i)] =
          row[reflect_symmetric(width - 1 + i, width)];
    }
    for (auto* ring : {&even_, &odd_}) std::rotate(ring->begin(), ring->begin() + 1, ring->end());
    split_columns(padded_.data(), count_ + reach, even_.back().data(), odd_.back().data());
  }
  void filter(float* out) {
    for (std::size_t x = 0; x < count_; x += strip) {
      const std::size_t count = std::min<std::size_t>(strip, count_ - x);
      low_pass_even_columns(from(even_, x), count + reach, sums_);
      low_pass_odd_columns(from(odd_, x), count + reach, sums_);
      add_columns(sums_, count, out + x);
    }
  }

 private:
  using Ring = std::array<std::vector<float>, low_pass_taps>;
  static HalfRows from(const Ring& ring, std::size_t x) {
    HalfRows rows;
    for (std::size_t i = 0; i < low_pass_taps; i++) rows[i] = ring[i].data() + x;
    return rows;
  }
  const LumaRows& rows_;
  std::uint32_t count_;
  std::vector<float> padded_, buffer_;
  Ring even_, odd_;
  LowPassSums sums_;
};

}  // namespace

void fast_decimate_by_low_pass(const LumaRows& rows, FloatPlane& out) {
  in_parallel(out.height, 1, [&](std::uint64_t first_row, std::uint64_t last_row) {
    LowPassRows last_nine(rows, out.width);
    std::int64_t next = 2 * static_cast<std::int64_t>(first_row) - 4;
    for (auto y = static_cast<std::uint32_t>(first_row); y < last_row; y++) {
      while (next <= 2 * std::int64_t{y} + 4) last_nine.push(next++);
      last_nine.filter(out.row(y));
    }
  });
}

}  // namespace penstock::video
