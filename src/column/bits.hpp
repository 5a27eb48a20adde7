// Bit buffers, least significant bit first: validity and boolean values.
#pragma once
#include <cstdint>

#include "penstock/column.hpp"

namespace penstock::column {

inline std::uint64_t bytes_of_bits(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0); }

inline bool bit(const std::byte* bits, std::uint64_t at) {
  return (static_cast<unsigned>(bits[at >> 3]) >> (at & 7) & 1u) != 0;
}

// Returns bits [first, first + count): shared when `first` is a multiple of 8, otherwise copied to
// start at a byte.
Bytes slice_bits(const Bytes& bits, std::uint64_t first, std::uint64_t count);
std::uint64_t count_ones(const std::byte* bits, std::uint64_t count);

}  // namespace penstock::column
