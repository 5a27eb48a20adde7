#include "codec/deflate/format/markers.hpp"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace penstock::deflate {
namespace {

// Converts 32 symbols at once, if none of them is a marker.
#if defined(__x86_64__)
bool narrow_32(const std::uint16_t* symbols, std::uint8_t* out) {
  __m128i all[4];
  std::memcpy(all, symbols, sizeof(all));
  const __m128i any = _mm_or_si128(_mm_or_si128(all[0], all[1]), _mm_or_si128(all[2], all[3]));
  if ((_mm_movemask_epi8(any) & 0xaaaa) != 0) return false;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(all[0], all[1]));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16), _mm_packus_epi16(all[2], all[3]));
  return true;
}
#else
bool narrow_32(const std::uint16_t*, std::uint8_t*) { return false; }
#endif

}  // namespace

void set_markers(std::uint16_t* window) {
  for (unsigned i = 0; i < window_bytes; i++) window[i] = static_cast<std::uint16_t>(marker + i);
}

// Searches from the end, where markers are fewest and yet one is most often left.
bool has_markers(std::span<const std::uint16_t> symbols) {
  constexpr std::size_t block = 1024;
  for (std::size_t end = symbols.size(); end > 0;) {
    const std::size_t begin = end > block ? end - block : 0;
    unsigned any = 0;
    for (std::size_t i = begin; i < end; i++) any |= symbols[i];
    if (any & marker) return true;
    end = begin;
  }
  return false;
}

ByteOfSymbol::ByteOfSymbol(const std::uint8_t* window) {
  for (unsigned byte = 0; byte < 256; byte++) bytes_[byte] = static_cast<std::uint8_t>(byte);
  std::memcpy(bytes_.data() + marker, window, window_bytes);
}

void ByteOfSymbol::resolve(std::span<const std::uint16_t> symbols, std::uint8_t* out) const {
  std::size_t i = 0;
  for (; i + 32 <= symbols.size(); i += 32) {
    // All are loaded before a byte is written, which may overwrite them.
    std::array<std::uint16_t, 32> current;
    std::memcpy(current.data(), symbols.data() + i, sizeof(current));
    if (narrow_32(current.data(), out + i)) continue;
    for (std::size_t k = 0; k < 32; k++) out[i + k] = bytes_[current[k]];
  }
  for (; i < symbols.size(); i++) out[i] = bytes_[symbols[i]];
}

}  // namespace penstock::deflate
