// Positions in vectors of double: all integers below 2^53 are exact in them. Numbers are rounded by
// adding 2^52. Logarithms are taken of the sixteen leading bits of the mantissa. For a position
// that adds nothing, both logarithms are of the same number.
#include "video/features/vif/vif_sums.hpp"

#include <array>
#include <bit>
#include <vector>

#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

constexpr double to_integer = 4503599627370496;  // 2^52
constexpr std::int32_t noise = 131072;           // 2 in fixed point

// Positions of one row. Logarithms: the fifteen bits after the leading one.
struct Positions {
  std::int32_t variance1[vif_strip], variance2[vif_strip], covariance[vif_strip];
  std::uint16_t denominator[vif_strip], with_signal[vif_strip], without_signal[vif_strip];
};

PENSTOCK_IN_VECTOR_LOOP std::int32_t variance(std::uint32_t squares, std::uint32_t one,
                                              std::uint32_t other) {
  const std::uint64_t means = (std::uint64_t{one} * other + 2147483648u) >> 32;
  return static_cast<std::int32_t>(squares - static_cast<std::uint32_t>(means));
}

PENSTOCK_VECTOR_LOOP void set_variances(const VifMoments& __restrict m, std::size_t count,
                                        Positions& __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    out.variance1[x] = variance(m.square1[x], m.mean1[x], m.mean1[x]);
    out.variance2[x] = variance(m.square2[x], m.mean2[x], m.mean2[x]);
    out.covariance[x] = variance(m.product[x], m.mean1[x], m.mean2[x]);
  }
}

struct SmallSums {
  std::int64_t squares = 0, count = 0;
};

// Zeroes the positions that add nothing, and returns the sums of positions where the reference is
// flat. It uses masks: compilers turn choices into branches.
PENSTOCK_VECTOR_LOOP SmallSums clear_small(Positions& __restrict p, std::size_t count) {
  std::int64_t squares = 0, small_count = 0;
  for (std::size_t x = 0; x < count; x++) {
    const std::int32_t v1 = p.variance1[x], v2 = p.variance2[x], cov = p.covariance[x];
    const std::int32_t small = -static_cast<std::int32_t>(v1 < noise);
    const std::int32_t positive = v2 & -static_cast<std::int32_t>(v2 > 0);
    const std::int32_t signal = ~small & -static_cast<std::int32_t>(cov > 0);
    squares += positive & small;
    small_count -= small;
    p.variance1[x] = v1 & ~small;
    p.variance2[x] = positive & signal;
    p.covariance[x] = cov & signal & -static_cast<std::int32_t>(v2 > 0);
  }
  return {squares, small_count};
}

// The exponent of a number of 2^16 or more, and the index that is looked up.
PENSTOCK_IN_VECTOR_LOOP std::uint64_t log_parts(double value, std::uint16_t& leading) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  leading = static_cast<std::uint16_t>((bits >> 37) & 0x7FFF);
  return bits >> 52;
}

PENSTOCK_IN_VECTOR_LOOP double floor_of(double value) {
  const double nearest = (value + to_integer) - to_integer;
  return nearest - (nearest > value ? 1.0 : 0.0);
}

struct Exponents {
  std::uint64_t numerator = 0, denominator = 0;
};

PENSTOCK_VECTOR_LOOP Exponents set_logarithms(Positions& __restrict p, std::size_t count,
                                              double gain_limit) {
  std::uint64_t numerator = 0, denominator = 0;
  for (std::size_t x = 0; x < count; x++) {
    const double variance1 = p.variance1[x], variance2 = p.variance2[x];
    const double covariance = p.covariance[x];
    denominator += log_parts(variance1 + noise, p.denominator[x]);
    const double gain = covariance / (variance1 + 65536.0 * 1e-10);
    const double rest = variance2 - gain * covariance;
    const double whole_rest = floor_of(rest), left = whole_rest > 0 ? whole_rest : 0;
    const double limited = gain < gain_limit ? gain : gain_limit;
    const double signal = floor_of(limited * limited * variance1);
    numerator += log_parts(signal + left + noise, p.with_signal[x]) -
                 log_parts(left + noise, p.without_signal[x]);
  }
  return {numerator, denominator};
}

// round(2048 * log2) of 2^15 to 2^16 - 1.
const std::vector<std::uint16_t>& logarithms() {
  static const std::vector<std::uint16_t> table = [] {
    std::vector<std::uint16_t> values(32768);
    for (std::uint32_t i = 0; i < values.size(); i++)
      values[i] = static_cast<std::uint16_t>(log2_fixed(32768 + i));
    return values;
  }();
  return table;
}

}  // namespace

void add_positions(const VifMoments& moments, std::size_t count, double gain_limit, VifSums& sums) {
  Positions positions;
  set_variances(moments, count, positions);
  const SmallSums small = clear_small(positions, count);
  const Exponents exponents = set_logarithms(positions, count, gain_limit);
  const std::uint16_t* log2 = logarithms().data();
  std::int64_t numerator = 0, denominator = 0;
  for (std::size_t x = 0; x < count; x++) {
    denominator += log2[positions.denominator[x]];
    numerator += log2[positions.with_signal[x]] - log2[positions.without_signal[x]];
  }
  // An exponent's bits are 1023 more than it; a logarithm is that of the leading sixteen bits.
  const std::uint64_t offset = count * (1023 + 15 + 17);
  sums.numerator += numerator + 2048 * static_cast<std::int64_t>(exponents.numerator);
  sums.denominator +=
      denominator + 2048 * static_cast<std::int64_t>(exponents.denominator - offset);
  sums.small_squares += small.squares;
  sums.small_count += small.count;
}

}  // namespace penstock::video
