#include "video/features/cambi/cambi_rows.hpp"

#include "video/host/sample_rows.hpp"

namespace penstock::video {
namespace {

using Level = std::uint16_t;

PENSTOCK_IN_VECTOR_LOOP std::uint32_t lesser(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

template <class Samples>
PENSTOCK_VECTOR_LOOP void shift_row(const std::byte* __restrict row, std::uint32_t bits,
                                    std::size_t count, Level* __restrict out) {
  const std::uint32_t up = bits < 10 ? 10 - bits : 0, down = bits > 10 ? bits - 10 : 0;
  const std::uint32_t half = down > 0 ? 1u << (down - 1) : 0, peak = (1u << bits) - 1;
  for (std::size_t x = 0; x < count; x++)
    out[x] = static_cast<Level>(((lesser(Samples::at(row, x), peak) << up) + half) >> down);
}

PENSTOCK_IN_VECTOR_LOOP Level mode(Level a, Level b, Level c) {
  const Level ab = a < b ? a : b, least = ab < c ? ab : c;
  const Level other = b == c ? b : least;
  return static_cast<int>(a == b) | static_cast<int>(a == c) ? a : other;
}

template <class T>
PENSTOCK_VECTOR_LOOP void halve(const T* __restrict row, std::size_t count, T* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = row[2 * x];
}

}  // namespace

void set_levels(const std::byte* row, std::uint32_t bits, std::size_t count, Level* out) {
  (bits > 8 ? shift_row<WordSamples> : shift_row<ByteSamples>)(row, bits, count, out);
}

PENSTOCK_VECTOR_LOOP void smooth_levels(const Level* __restrict row, const Level* __restrict below,
                                        std::size_t count, Level* __restrict out) {
  for (std::size_t x = 0; x + 1 < count; x++)
    out[x] = static_cast<Level>((row[x] + row[x + 1] + below[x] + below[x + 1]) >> 2);
  out[count - 1] = static_cast<Level>((row[count - 1] + below[count - 1]) >> 1);
}

PENSTOCK_VECTOR_LOOP void set_flat(const Level* __restrict row, const Level* __restrict below,
                                   std::size_t count, std::uint8_t* __restrict out) {
  for (std::size_t x = 0; x + 1 < count; x++)
    out[x] = static_cast<std::uint8_t>((row[x] == row[x + 1]) & (row[x] == below[x]));
  out[count - 1] = row[count - 1] == below[count - 1];
}

PENSTOCK_VECTOR_LOOP void add_row(const std::uint8_t* __restrict row, std::size_t count,
                                  std::uint8_t* __restrict sums) {
  for (std::size_t x = 0; x < count; x++) sums[x] = static_cast<std::uint8_t>(sums[x] + row[x]);
}
PENSTOCK_VECTOR_LOOP void subtract_row(const std::uint8_t* __restrict row, std::size_t count,
                                       std::uint8_t* __restrict sums) {
  for (std::size_t x = 0; x < count; x++) sums[x] = static_cast<std::uint8_t>(sums[x] - row[x]);
}

PENSTOCK_VECTOR_LOOP void set_mask(const std::uint8_t* __restrict sums, std::size_t count,
                                   std::uint32_t threshold, std::uint8_t* __restrict out) {
  const auto least = static_cast<std::uint8_t>(lesser(threshold, 255));
  for (std::size_t x = 0; x < count; x++) {
    const auto sum = static_cast<std::uint8_t>(sums[x] + sums[x + 1] + sums[x + 2] + sums[x + 3] +
                                               sums[x + 4] + sums[x + 5] + sums[x + 6]);
    out[x] = sum > least;
  }
}

PENSTOCK_VECTOR_LOOP void mode_along_row(const Level* __restrict row, std::size_t count,
                                         Level* __restrict out) {
  out[0] = row[0], out[count - 1] = row[count - 1];
  for (std::size_t x = 1; x + 1 < count; x++) out[x] = mode(row[x - 1], row[x], row[x + 1]);
}
PENSTOCK_VECTOR_LOOP void mode_of_rows(const Level* __restrict a, const Level* __restrict b,
                                       const Level* __restrict c, std::size_t count,
                                       Level* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = mode(a[x], b[x], c[x]);
}

PENSTOCK_VECTOR_LOOP std::uint32_t set_keys(const Level* __restrict levels,
                                            const std::uint8_t* __restrict mask, std::size_t count,
                                            Level first, Level span, Level* __restrict out) {
  std::uint32_t keys = 0;
  for (std::size_t x = 0; x < count; x++) {
    const auto above = static_cast<Level>(levels[x] - first);
    const bool has_key = (mask[x] != 0) & (above <= span);
    out[x] = has_key ? levels[x] : no_key;
    keys += has_key;
  }
  return keys;
}

void halve_row(const Level* row, std::size_t count, Level* out) { halve(row, count, out); }
void halve_row(const std::uint8_t* row, std::size_t count, std::uint8_t* out) {
  halve(row, count, out);
}

}  // namespace penstock::video
