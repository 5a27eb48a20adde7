// Finite state entropy coding: the description of a distribution, and the states that it gives (RFC 8878, section 4.1).
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "codec/zstd/format.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

// How many states each symbol has; -1 stands for less than one.
struct Distribution {
  std::uint8_t accuracy_log = 0, symbol_count = 0;
  std::array<std::int16_t, match_length_codes> states{};
};

// Reads a description; *used_bytes becomes its size. Null, or what is wrong with it.
const char* read_distribution(std::span<const Byte> from, unsigned largest_log, unsigned largest_count, Distribution& distribution,
                              std::size_t& used_bytes);

// What a state leads to: `next_bits` bits of the stream plus `next_base`.
struct FseState {
  std::uint8_t symbol = 0, next_bits = 0;
  std::uint16_t next_base = 0;
};

// The 2^accuracy_log states of a distribution that read_distribution() found sound.
void spread_states(const Distribution& distribution, FseState* states);

}  // namespace penstock::zstd
