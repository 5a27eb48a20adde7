#include "codec/checksum/crc32.hpp"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace penstock::checksum {
namespace {

// A polynomial modulo that of the CRC. Bit 31 is x^0, so a shift to the right multiplies by x.
using Polynomial = std::uint32_t;
constexpr Polynomial one = 0x80000000, reflected_divisor = 0xedb88320;

constexpr Polynomial times_x(Polynomial value) {
  return value >> 1 ^ (value & 1 ? reflected_divisor : 0);
}
constexpr Polynomial power_of_x(unsigned exponent) {
  Polynomial value = one;
  while (exponent-- > 0) value = times_x(value);
  return value;
}
constexpr Polynomial product(Polynomial a, Polynomial b) {
  Polynomial sum = 0;
  for (unsigned bit = 0; bit < 32; bit++, b = times_x(b))
    if (a & one >> bit) sum ^= b;
  return sum;
}

// Returns the factor by which `bytes` more bytes change a CRC: x^8 for each. The complements cancel
// out.
Polynomial shift_by(std::uint64_t bytes) {
  Polynomial shift = one, square = power_of_x(8);
  for (; bytes > 0; bytes >>= 1, square = product(square, square))
    if (bytes & 1) shift = product(shift, square);
  return shift;
}

// Slicing-by-8 (Kounavis and Berry, 2005): tables[k][b] is the remainder of byte b followed by k
// zero bytes. The eight look-ups of a step do not wait for one another.
constexpr std::array<std::array<std::uint32_t, 256>, 8> tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t byte = 0; byte < 256; byte++) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; bit++) value = times_x(value);
    table[0][byte] = value;
  }
  for (std::size_t k = 1; k < 8; k++)
    for (std::uint32_t byte = 0; byte < 256; byte++)
      table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 0xff];
  return table;
}();

// `state` is the CRC before its final complement.
std::uint32_t by_tables(std::uint32_t state, const std::uint8_t* at, std::size_t count) {
  for (; count >= 8; count -= 8, at += 8) {
    std::array<std::uint8_t, 8> bytes;
    std::memcpy(bytes.data(), at, 8);
    for (unsigned k = 0; k < 4; k++) bytes[k] ^= static_cast<std::uint8_t>(state >> 8 * k);
    state = 0;
    for (unsigned k = 0; k < 8; k++) state ^= tables[7 - k][bytes[k]];
  }
  for (; count > 0; count--, at++) state = state >> 8 ^ tables[0][(state ^ *at) & 0xff];
  return state;
}

#if defined(__x86_64__)
// Folds 64 bytes at a time into the next 64 by carry-less multiplication: 128 bits times x^512, a
// half at a time, are congruent to what must be added there (Gopal et al., "Fast CRC Computation
// for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009). A product of reflected words
// is one bit too low, hence the shifted factors. The first half is followed by 64 more bits, hence
// the two exponents.
constexpr std::uint64_t factor(unsigned exponent) {
  return std::uint64_t{power_of_x(exponent)} << 1;
}

[[gnu::target("pclmul,sse4.1"), gnu::always_inline]] inline __m128i folded(__m128i value,
                                                                           __m128i factors,
                                                                           __m128i into) {
  const __m128i first = _mm_clmulepi64_si128(value, factors, 0x00),
                second = _mm_clmulepi64_si128(value, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(first, second), into);
}
[[gnu::target("pclmul,sse4.1"), gnu::always_inline]] inline __m128i load16(
    const std::uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

[[gnu::target("pclmul,sse4.1")]] std::uint32_t by_multiplication(std::uint32_t state,
                                                                 const std::uint8_t* at,
                                                                 std::size_t count) {
  if (count < 128) return by_tables(state, at, count);
  const __m128i by_64_bytes = _mm_set_epi64x(factor(512 - 32), factor(512 + 32));
  const __m128i by_16_bytes = _mm_set_epi64x(factor(128 - 32), factor(128 + 32));
  __m128i a = _mm_xor_si128(load16(at), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load16(at + 16), c = load16(at + 32), d = load16(at + 48);
  for (at += 64, count -= 64; count >= 64; at += 64, count -= 64) {
    a = folded(a, by_64_bytes, load16(at));
    b = folded(b, by_64_bytes, load16(at + 16));
    c = folded(c, by_64_bytes, load16(at + 32));
    d = folded(d, by_64_bytes, load16(at + 48));
  }
  a = folded(folded(folded(a, by_16_bytes, b), by_16_bytes, c), by_16_bytes, d);
  for (; count >= 16; at += 16, count -= 16) a = folded(a, by_16_bytes, load16(at));
  std::array<std::uint8_t, 16> left;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(left.data()), a);
  return by_tables(by_tables(0, left.data(), 16), at, count);
}
const bool has_multiplication =
    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif

}  // namespace

std::uint32_t crc32_by_tables(std::uint32_t crc, std::span<const std::byte> bytes) {
  return ~by_tables(~crc, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (has_multiplication)
    return ~by_multiplication(~crc, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                              bytes.size());
#endif
  return crc32_by_tables(crc, bytes);
}

std::uint32_t crc32_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return first == 0 ? second : product(shift_by(second_bytes), first) ^ second;
}

std::uint32_t crc32_joined(std::span<const std::uint32_t> crcs, std::uint64_t run_bytes,
                           std::uint64_t last_bytes) {
  if (crcs.empty()) return 0;
  const Polynomial shift = shift_by(run_bytes);
  std::uint32_t joined = 0;
  for (const std::uint32_t crc : crcs.first(crcs.size() - 1)) joined = product(shift, joined) ^ crc;
  return crc32_combine(joined, crcs.back(), last_bytes);
}

}  // namespace penstock::checksum
