// The bits of a stream, lowest first: a 64-bit buffer that one load refills where eight bytes of
// input are left.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace penstock::deflate {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

inline std::uint64_t load8(const std::uint8_t* from) {
  std::uint64_t value;
  std::memcpy(&value, from, 8);
  return value;
}

// Returns the lowest `count` bits, at most 63.
inline std::uint64_t low_bits(std::uint64_t word, unsigned count) {
  return word & ((std::uint64_t{1} << count) - 1);
}

struct BitInput {
  const std::uint8_t *begin, *at, *end;
  std::uint64_t word = 0;  // zero above `bits`
  unsigned bits = 0;

  BitInput(const std::uint8_t* bytes, std::size_t count, std::uint64_t position)
      : begin(bytes), at(bytes + position / 8), end(bytes + count) {
    fill();
    take(static_cast<unsigned>(position % 8));
  }
  std::uint64_t position() const { return static_cast<std::uint64_t>(at - begin) * 8 - bits; }

  // Refills to at least 56 bits, or all that are left.
  void fill() {
    if (end - at >= 8) {
      word |= load8(at) << bits;
      at += (63 - bits) / 8;
      bits |= 56;
      word = low_bits(word, bits);
      return;
    }
    for (; bits < 56 && at < end; bits += 8) word |= std::uint64_t{*at++} << bits;
  }
  void take(unsigned count) { word >>= count, bits -= count; }
  unsigned taken(unsigned count) {
    const auto value = static_cast<unsigned>(low_bits(word, count));
    take(count);
    return value;
  }
  // Drops the bits up to the next byte boundary, and puts whole bytes back.
  void to_byte() {
    take(bits % 8);
    at -= bits / 8;
    word = 0, bits = 0;
  }
};

}  // namespace penstock::deflate
