#include "codec/zstd/format/fse.hpp"

#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

// Reads one probability of a distribution that has `remaining` states left. Values below the rest
// of a power of two have one bit less.
int take_share(ForwardBits& bits, unsigned remaining) {
  const unsigned width = static_cast<unsigned>(std::bit_width(remaining + 1));
  const unsigned short_values = (1u << width) - 1 - (remaining + 1);
  const unsigned low = bits.peek(width - 1);
  if (low < short_values) {
    bits.skip(width - 1);
    return static_cast<int>(low) - 1;
  }
  const unsigned value = bits.take(width);
  return static_cast<int>(value < 1u << (width - 1) ? value : value - short_values) - 1;
}

// Returns how many symbols of probability 0 follow one.
unsigned take_zeros(ForwardBits& bits, unsigned limit) {
  unsigned count = 0, repeat = 3;
  while (repeat == 3 && count <= limit) count += repeat = bits.take(2);
  return count;
}

}  // namespace

const char* read_distribution(std::span<const Byte> from, unsigned largest_log,
                              unsigned largest_count, Distribution& distribution,
                              std::size_t& used_bytes) {
  ForwardBits bits(from);
  const unsigned log = bits.take(4) + 5;
  if (log > largest_log) return "an FSE table's accuracy is larger than the format has";
  distribution.accuracy_log = static_cast<std::uint8_t>(log);
  distribution.states.fill(0);
  unsigned remaining = 1u << log, symbol = 0;
  while (remaining > 0) {
    if (symbol >= largest_count) return "an FSE table has more symbols than there are codes";
    const int share = take_share(bits, remaining);
    const unsigned states = share < 0 ? 1 : static_cast<unsigned>(share);
    if (states > remaining) return "an FSE table's shares are more than its states";
    distribution.states[symbol++] = static_cast<std::int16_t>(share);
    remaining -= states;
    if (share == 0) symbol += take_zeros(bits, largest_count);
  }
  distribution.symbol_count = static_cast<std::uint8_t>(symbol);
  used_bytes = bits.used_bytes();
  return used_bytes > from.size() ? "an FSE table's description is cut short" : nullptr;
}

// Symbols of "less than 1" probability are at the table's end. The other symbols are spread over
// the rest.
void spread_symbols(const Distribution& distribution,
                    std::array<std::uint8_t, max_states>& symbols) {
  const unsigned size = 1u << distribution.accuracy_log, mask = size - 1,
                 step = (size >> 1) + (size >> 3) + 3;
  unsigned high = size;
  for (unsigned symbol = 0; symbol < distribution.symbol_count; symbol++)
    if (distribution.states[symbol] == -1) symbols[--high] = static_cast<std::uint8_t>(symbol);
  unsigned at = 0;
  for (unsigned symbol = 0; symbol < distribution.symbol_count; symbol++)
    for (int share = 0; share < distribution.states[symbol]; share++) {
      symbols[at] = static_cast<std::uint8_t>(symbol);
      do at = (at + step) & mask;
      while (at >= high);
    }
}

}  // namespace penstock::zstd
