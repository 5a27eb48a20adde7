#include "base/hash.hpp"

// The whole of XXH3 in this file, so that nothing is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace penstock {

Hash128 content_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

Hash128 content_hash(std::string_view text, std::uint64_t seed) {
  return content_hash(std::as_bytes(std::span(text)), seed);
}

std::string Hash128::hex() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 32; i++)
    text[i] = digits[((i < 16 ? high : low) >> (60 - 4 * (i & 15))) & 15];
  return text;
}

}  // namespace penstock
