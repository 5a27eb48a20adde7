// Bit buffers, least significant bit first: validity and boolean values.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
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

// Returns bit i as is_set(i), which threads ask for in any order.
template <class IsSet> Bytes make_bits(std::uint64_t count, const IsSet& is_set) {
  LargeVector<std::byte> bytes(bytes_of_bits(count));
  for_rows(bytes.size(), [&](std::uint64_t byte) {
    unsigned bits = 0;
    const std::uint64_t first = byte * 8, end = std::min(count, first + 8);
    for (std::uint64_t i = first; i < end; i++) bits |= unsigned{is_set(i)} << (i - first);
    bytes[byte] = static_cast<std::byte>(bits);
  });
  return Bytes::own(std::move(bytes));
}

}  // namespace penstock::column
