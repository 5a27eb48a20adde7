#include "base/hash.hpp"

#include <bit>
#include <cstring>

namespace penstock {
namespace {

// Odd numbers without visible structure: the first 64 bits of the fractions of sqrt(2) and sqrt(3),
// made odd.
constexpr std::uint64_t multiplier_low = 0x6a09e667f3bcc909;
constexpr std::uint64_t multiplier_high = 0xbb67ae8584caa73b;

// Each step is, for a fixed input, a bijection of the lane (add, xor, rotate, multiply by an odd
// number): no input can collapse the state, which a multiply of state by data could.
struct Lanes {
  std::uint64_t low, high;
  void step(std::uint64_t first, std::uint64_t second) {
    low = std::rotl(low ^ first, 29) * multiplier_low + second;
    high = std::rotl(high + second, 31) * multiplier_high ^ std::rotl(first, 17);
  }
};

std::uint64_t avalanche(std::uint64_t value) {
  value = (value ^ (value >> 32)) * multiplier_high;
  value = (value ^ (value >> 29)) * multiplier_low;
  return value ^ (value >> 32);
}

}  // namespace

Hash128 content_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  Lanes lanes{seed ^ multiplier_high, ~seed ^ multiplier_low};
  std::size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    std::uint64_t words[2];
    std::memcpy(words, bytes.data() + at, 16);
    lanes.step(words[0], words[1]);
  }
  std::uint64_t tail[2] = {0, 0};
  if (at < bytes.size()) std::memcpy(tail, bytes.data() + at, bytes.size() - at);
  lanes.step(tail[0], tail[1]);
  lanes.step(bytes.size(), ~seed);  // tells "a" from "a\0"
  const std::uint64_t low = avalanche(lanes.low + std::rotl(lanes.high, 23));
  return {low, avalanche(lanes.high ^ (low * multiplier_low))};
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
