#include "codec/deflate/format/block_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/deflate/format/bit_input.hpp"
#include "codec/deflate/format/deflate_format.hpp"

namespace penstock::deflate {
namespace {

// A 64-bit load holds the first 13 bits of a header at each of its first 48 bits: last, type, and
// the two numbers of symbols.
constexpr unsigned bits_per_step = 48;
constexpr unsigned counts_at = 13, lengths_at = 17;  // HCLEN, and the lengths that it counts
constexpr std::uint64_t header_bytes = 16;           // that the test of a header may read

// For three lengths of three bits each: the part of the code's 128 slots that they take.
constexpr std::array<std::uint8_t, 512> shares = [] {
  std::array<std::uint8_t, 512> result{};
  for (unsigned bits = 0; bits < 512; bits++)
    for (unsigned at = 0; at < 9; at += 3)
      if (const unsigned length = bits >> at & 7; length > 0)
        result[bits] = static_cast<std::uint8_t>(result[bits] + (128u >> length));
  return result;
}();

// Returns a bit for each position where 0 (not the last), 01 (dynamic, lowest bit first) and two
// numbers below 30 begin.
std::uint64_t plausible_positions(std::uint64_t word) {
  const std::uint64_t type = ~word & ~(word >> 1) & word >> 2;
  // Four ones: if they are the highest bits of a number, it is 30 or 31.
  const std::uint64_t both = word & word >> 1, four = both & both >> 2;
  return type & ~(four >> 4) & ~(four >> 9) & ((std::uint64_t{1} << bits_per_step) - 1);
}

bool has_complete_precode(const std::uint8_t* bytes, std::uint64_t bit) {
  const std::uint64_t counts = bit + counts_at, lengths = bit + lengths_at;
  const unsigned count = 4 + (load8(bytes + counts / 8) >> counts % 8 & 15);
  std::uint64_t word = low_bits(load8(bytes + lengths / 8) >> lengths % 8, 3 * count);
  unsigned share = 0;
  for (; word != 0; word >>= 9) share += shares[word & 511];
  return share == 1u << 7;
}

}  // namespace

std::optional<std::uint64_t> find_block(std::span<const std::byte> input, std::uint64_t from_bit,
                                        std::uint64_t end_bit) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(input.data());
  if (input.size() < header_bytes) return std::nullopt;
  end_bit = std::min(end_bit, (input.size() - header_bytes) * 8);
  for (std::uint64_t at = from_bit / 8 * 8; at < end_bit; at += bits_per_step) {
    std::uint64_t positions = plausible_positions(load8(bytes + at / 8));
    if (at < from_bit)
      positions &= ~low_bits(~std::uint64_t{0}, static_cast<unsigned>(from_bit - at));
    for (; positions != 0; positions &= positions - 1) {
      const std::uint64_t bit = at + static_cast<unsigned>(std::countr_zero(positions));
      if (bit < end_bit && has_complete_precode(bytes, bit)) return bit;
    }
  }
  return std::nullopt;
}

}  // namespace penstock::deflate
