#include "codec/checksum/adler32.hpp"

#include <algorithm>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace penstock::checksum {
namespace {

constexpr std::uint32_t modulus = 65521;
// Bytes between reductions: keeps the second sum below 2^32 (5552 do), in whole vectors.
constexpr std::size_t max_bytes = 5536;

struct Sums {
  std::uint32_t bytes, sums;
};
Sums sums_of(std::uint32_t adler) { return {adler & 0xffff, adler >> 16}; }
std::uint32_t adler_of(const Sums& sums) {
  return sums.sums % modulus << 16 | sums.bytes % modulus;
}

Sums add_bytes(Sums sums, const std::uint8_t* at, std::size_t count) {
  for (std::size_t i = 0; i < count; i++) {
    sums.bytes += at[i];
    sums.sums += sums.bytes;
  }
  return sums;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint32_t sum_of_lanes(__m256i value) {
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(four));
}

// Adds whole vectors. The first of n bytes counts n times in the second sum, the last once. Within
// a vector weights of 32 to 1 do this; each vector adds 32 times the bytes before it.
[[gnu::target("avx2")]] Sums add_vectors(Sums sums, const std::uint8_t* at, std::size_t count) {
  const __m256i weights =
      _mm256_set_epi8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                      23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
  const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
  __m256i bytes = zero, before = zero, weighted = zero;
  for (std::size_t i = 0; i < count; i += 32) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i));
    before = _mm256_add_epi32(before, bytes);
    bytes = _mm256_add_epi32(bytes, _mm256_sad_epu8(values, zero));
    weighted =
        _mm256_add_epi32(weighted, _mm256_madd_epi16(_mm256_maddubs_epi16(values, weights), ones));
  }
  sums.sums += sums.bytes * static_cast<std::uint32_t>(count) + sum_of_lanes(before) * 32 +
               sum_of_lanes(weighted);
  sums.bytes += sum_of_lanes(bytes);
  return sums;
}
const bool has_vectors = __builtin_cpu_supports("avx2");
#else
Sums add_vectors(Sums sums, const std::uint8_t* at, std::size_t count) {
  return add_bytes(sums, at, count);
}
constexpr bool has_vectors = false;
#endif

template <class Add>
std::uint32_t run(std::uint32_t adler, std::span<const std::byte> bytes, std::size_t step,
                  const Add& add) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::size_t left = bytes.size(), count; left >= step; left -= count, at += count) {
    count = std::min(left, max_bytes) / step * step;
    adler = adler_of(add(sums_of(adler), at, count));
  }
  return adler;
}

}  // namespace

std::uint32_t adler32_by_bytes(std::uint32_t adler, std::span<const std::byte> bytes) {
  return run(adler, bytes, 1, add_bytes);
}

std::uint32_t adler32(std::uint32_t adler, std::span<const std::byte> bytes) {
  if (!has_vectors) return adler32_by_bytes(adler, bytes);
  return adler32_by_bytes(run(adler, bytes, 32, add_vectors), bytes.last(bytes.size() % 32));
}

// The first run's byte sum counts once for each byte of the second run. Both sums begin with 1,
// which counts once.
std::uint32_t adler32_combine(std::uint32_t first, std::uint32_t second,
                              std::uint64_t second_bytes) {
  const std::uint64_t count = second_bytes % modulus;
  const Sums a = sums_of(first), b = sums_of(second);
  const std::uint64_t before = a.bytes + modulus - 1;
  return static_cast<std::uint32_t>((a.sums + b.sums + before % modulus * count) % modulus << 16 |
                                    (before + b.bytes) % modulus);
}

std::uint32_t adler32_joined(std::span<const std::uint32_t> adlers, std::uint64_t run_bytes,
                             std::uint64_t last_bytes) {
  std::uint32_t joined = 1;
  for (std::size_t i = 0; i < adlers.size(); i++)
    joined = adler32_combine(joined, adlers[i], i + 1 < adlers.size() ? run_bytes : last_bytes);
  return joined;
}

}  // namespace penstock::checksum
