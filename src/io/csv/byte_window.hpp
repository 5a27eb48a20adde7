// 64 bytes of a text, compared at once. A bit stands for each byte, the first one lowest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace penstock::io {

class ByteWindow {
 public:
  static constexpr std::size_t bytes = 64;

#ifdef __SSE2__
  explicit ByteWindow(const char* text) {
    for (int part = 0; part < 4; part++)
      parts_[part] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
  }
  std::uint64_t equal_to(char byte) const {
    const __m128i wanted = _mm_set1_epi8(byte);
    std::uint64_t mask = 0;
    for (int part = 0; part < 4; part++)
      mask |= bits(_mm_cmpeq_epi8(parts_[part], wanted)) << (16 * part);
    return mask;
  }

 private:
  static std::uint64_t bits(__m128i part) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(part));
  }

  __m128i parts_[4];
#else
  explicit ByteWindow(const char* text) { std::memcpy(parts_, text, bytes); }
  // Compares eight bytes at once: equal bytes become zero, then a product gathers the top bit of
  // each zero byte.
  std::uint64_t equal_to(char byte) const {
    const std::uint64_t wanted =
        std::uint64_t{0x0101010101010101} * static_cast<unsigned char>(byte);
    std::uint64_t mask = 0;
    for (std::size_t part = 0; part < 8; part++) {
      const std::uint64_t differs = parts_[part] ^ wanted;
      const std::uint64_t low = (differs & ~high_bits) + ~high_bits;
      const std::uint64_t equal = ~(low | differs | ~high_bits) >> 7;
      mask |= (equal * 0x0102040810204080 >> 56) << (8 * part);
    }
    return mask;
  }

 private:
  static constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::uint64_t parts_[8];
#endif
};

}  // namespace penstock::io
