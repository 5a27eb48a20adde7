#include "column/bits.hpp"

#include <bit>
#include <cstring>

namespace penstock::column {

Bytes slice_bits(const Bytes& bits, std::uint64_t first, std::uint64_t count) {
  if (bits.empty()) return {};
  const std::uint64_t bytes = bytes_of_bits(count);
  const std::byte* from = bits.data + first / 8;
  const unsigned shift = first % 8;
  if (shift == 0) return {bits.owner, from, bytes};
  std::vector<std::byte> shifted(bytes);
  const std::uint64_t available = bytes_of_bits(shift + count);
  for (std::uint64_t i = 0; i < bytes; i++) {
    const unsigned low = static_cast<unsigned>(from[i]) >> shift;
    const unsigned high =
        i + 1 < available ? static_cast<unsigned>(from[i + 1]) << (8 - shift) : 0u;
    shifted[i] = static_cast<std::byte>(low | high);
  }
  return Bytes::own(std::move(shifted));
}

std::uint64_t count_ones(const std::byte* bits, std::uint64_t count) {
  std::uint64_t ones = 0, i = 0;
  for (; i + 64 <= count; i += 64) {
    std::uint64_t word;
    std::memcpy(&word, bits + i / 8, 8);
    ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  for (; i < count; i++) ones += bit(bits, i);
  return ones;
}

}  // namespace penstock::column
