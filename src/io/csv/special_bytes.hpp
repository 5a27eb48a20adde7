// Finds the bytes that end fields, 64 at a time.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace penstock::io {

class SpecialBytes {
 public:
  static constexpr std::size_t window_bytes = 64;

  explicit SpecialBytes(std::string_view bytes) : count_(bytes.size()) {
    for (std::size_t i = 0; i < count_; i++) bytes_[i] = bytes[i];
  }

  // Returns a bit for each of 64 bytes, the first one lowest.
  std::uint64_t in(const char* text) const {
    std::uint64_t mask = 0;
#ifdef __SSE2__
    for (int part = 0; part < 4; part++) {
      const __m128i read = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
      __m128i found = _mm_setzero_si128();
      for (std::size_t i = 0; i < count_; i++)
        found = _mm_or_si128(found, _mm_cmpeq_epi8(read, _mm_set1_epi8(bytes_[i])));
      mask |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found)))
              << (16 * part);
    }
#else
    for (std::size_t i = 0; i < window_bytes; i++)
      for (std::size_t byte = 0; byte < count_; byte++)
        mask |= static_cast<std::uint64_t>(text[i] == bytes_[byte]) << i;
#endif
    return mask;
  }

  // The text is followed by 64 bytes that may be read.
  std::uint64_t count_in(std::string_view text) const {
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += window_bytes) {
      std::uint64_t mask = in(text.data() + at);
      if (text.size() - at < window_bytes) mask &= (std::uint64_t{1} << (text.size() - at)) - 1;
      count += static_cast<std::uint64_t>(std::popcount(mask));
    }
    return count;
  }

 private:
  std::array<char, 8> bytes_{};
  std::size_t count_;
};

}  // namespace penstock::io
