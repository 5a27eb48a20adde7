// FSE, finite state entropy, a tANS coder (RFC 8878, section 4.1): the description of a
// distribution, and the decoding states that follow from it.
//
// Hostile input: a distribution with more probabilities than states is refused, so tables are
// always full.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

// The number of states of each symbol; -1 is "less than 1".
struct Distribution {
  std::uint8_t accuracy_log = 0, symbol_count = 0;
  std::array<std::int16_t, match_length_codes> states{};
};

// Reads a description; *used_bytes becomes its size. Returns null, or the error.
const char* read_distribution(std::span<const Byte> from, unsigned largest_log,
                              unsigned largest_count, Distribution& distribution,
                              std::size_t& used_bytes);

// A state: the next one is `next_base` plus `next_bits` bits of the stream.
struct FseState {
  std::uint8_t symbol = 0, next_bits = 0;
  std::uint16_t next_base = 0;
};

constexpr unsigned max_states = 1u << literal_length_log;

// The symbols of the 2^accuracy_log states of a distribution that read_distribution() accepted.
void spread_symbols(const Distribution& distribution,
                    std::array<std::uint8_t, max_states>& symbols);

// Calls put(number, state) for all states, in order.
template <class Put> void for_each_state(const Distribution& distribution, const Put& put) {
  std::array<std::uint8_t, max_states> symbols;
  spread_symbols(distribution, symbols);
  std::array<std::uint16_t, match_length_codes>
      next;  // a symbol's states count on from their number
  for (unsigned symbol = 0; symbol < distribution.symbol_count; symbol++)
    next[symbol] = static_cast<std::uint16_t>(
        distribution.states[symbol] == -1 ? 1 : distribution.states[symbol]);
  const unsigned log = distribution.accuracy_log, size = 1u << log;
  for (unsigned at = 0; at < size; at++) {
    const unsigned order = next[symbols[at]]++,
                   next_bits = log + 1 - static_cast<unsigned>(std::bit_width(order));
    put(at, FseState{symbols[at], static_cast<std::uint8_t>(next_bits),
                     static_cast<std::uint16_t>((order << next_bits) - size)});
  }
}

}  // namespace penstock::zstd
