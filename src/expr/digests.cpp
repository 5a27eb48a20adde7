#include "expr/digests.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace penstock::expr {
namespace {

constexpr std::size_t block_bytes = 64, length_at = 56;
using Block = std::array<std::uint32_t, 16>;

// The bytes, a bit 1, zeros, and the number of bits: whole blocks.
std::string padded(std::string_view bytes, bool is_big_endian) {
  std::string text(bytes);
  text += static_cast<char>(0x80);
  while (text.size() % block_bytes != length_at) text += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (unsigned i = 0; i < 8; i++)
    text += static_cast<char>(bits >> 8 * (is_big_endian ? 7 - i : i) & 255u);
  return text;
}

Block block_at(std::string_view text, std::size_t at, bool is_big_endian) {
  Block words{};
  for (std::size_t i = 0; i < block_bytes; i++) {
    const auto byte = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
    words[i / 4] |= byte << 8 * (is_big_endian ? 3 - i % 4 : i % 4);
  }
  return words;
}

std::string digits_of_state(std::span<const std::uint32_t> state, bool is_big_endian) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state)
    for (unsigned i = 0; i < 4; i++) {
      const std::uint32_t byte = word >> 8 * (is_big_endian ? 3 - i : i) & 255u;
      text += digits[byte >> 4];
      text += digits[byte & 15u];
    }
  return text;
}

// The first 32 bits of the fractions of sines, as RFC 1321 has them.
const std::array<std::uint32_t, 64>& sine_words() {
  static const auto words = [] {
    std::array<std::uint32_t, 64> all{};
    for (std::size_t i = 0; i < all.size(); i++)
      all[i] = static_cast<std::uint32_t>(
          std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
    return all;
  }();
  return words;
}

void add_md5_block(std::array<std::uint32_t, 4>& state, const Block& words) {
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = state;
  for (unsigned i = 0; i < 64; i++) {
    std::uint32_t mixed = 0;
    unsigned word = 0;
    switch (i / 16) {
      case 0: mixed = (b & c) | (~b & d), word = i; break;
      case 1: mixed = (d & b) | (~d & c), word = (5 * i + 1) % 16; break;
      case 2: mixed = b ^ c ^ d, word = (3 * i + 5) % 16; break;
      default: mixed = c ^ (b | ~d), word = 7 * i % 16; break;
    }
    const std::uint32_t sum = a + mixed + sine_words()[i] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[i / 16][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

void add_sha1_block(std::array<std::uint32_t, 5>& state, const Block& block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < words.size(); i++)
    words[i] = i < 16 ? block[i]
                      : std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); i++) {
    std::uint32_t mixed = b ^ c ^ d, constant = i < 40 ? 0x6ed9eba1u : 0xca62c1d6u;
    if (i < 20) mixed = (b & c) | (~b & d), constant = 0x5a827999u;
    if (i >= 40 && i < 60) mixed = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdcu;
    const std::uint32_t sum = std::rotl(a, 5) + mixed + e + constant + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = sum;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// The first 32 bits of the fraction of a root of a prime, without rounding: the greatest number
// whose power is at most the prime's.
std::uint32_t root_fraction(std::uint64_t prime, int power) {
  using Wide = unsigned __int128;
  std::uint64_t root = 0;  // of prime * 2^(32 * power)
  for (int bit = 37; bit >= 0; bit--) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    // A cube of 38 bits fits 128 bits.
    Wide product = Wide{next} * next;
    if (power == 3) product *= next;
    if (product <= Wide{prime} << (32 * power)) root = next;
  }
  return static_cast<std::uint32_t>(root);
}

std::array<std::uint32_t, 64> roots_of_primes(int power) {
  std::array<std::uint32_t, 64> words{};
  std::uint64_t candidate = 2;
  for (std::size_t i = 0; i < words.size(); candidate++) {
    bool is_prime = true;
    for (std::uint64_t divisor = 2; divisor * divisor <= candidate; divisor++)
      is_prime = is_prime && candidate % divisor != 0;
    if (is_prime) words[i++] = root_fraction(candidate, power);
  }
  return words;
}

void add_sha256_block(std::array<std::uint32_t, 8>& state, const Block& block) {
  static const std::array<std::uint32_t, 64> constants = roots_of_primes(3);
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < words.size(); i++) {
    if (i < 16) {
      words[i] = block[i];
      continue;
    }
    const std::uint32_t near = words[i - 2], far = words[i - 15];
    words[i] = words[i - 16] + (std::rotr(far, 7) ^ std::rotr(far, 18) ^ far >> 3) + words[i - 7] +
               (std::rotr(near, 17) ^ std::rotr(near, 19) ^ near >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); i++) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + constants[i] + words[i],
                        second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                                 ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d,
           state[4] + e, state[5] + f, state[6] + g, state[7] + h};
}

template <class State>
std::string digest(std::string_view bytes, State state, void (*add)(State&, const Block&),
                   bool is_big_endian) {
  const std::string text = padded(bytes, is_big_endian);
  for (std::size_t at = 0; at < text.size(); at += block_bytes)
    add(state, block_at(text, at, is_big_endian));
  return digits_of_state(state, is_big_endian);
}

}  // namespace

std::string md5(std::string_view bytes) {
  const std::array<std::uint32_t, 4> start = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  return digest(bytes, start, add_md5_block, false);
}

std::string sha1(std::string_view bytes) {
  const std::array<std::uint32_t, 5> start = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u,
                                              0xc3d2e1f0u};
  return digest(bytes, start, add_sha1_block, true);
}

std::string sha256(std::string_view bytes) {
  static const std::array<std::uint32_t, 64> roots = roots_of_primes(2);
  std::array<std::uint32_t, 8> start{};
  for (std::size_t i = 0; i < start.size(); i++) start[i] = roots[i];
  return digest(bytes, start, add_sha256_block, true);
}

}  // namespace penstock::expr
