// The fast loop of the Deflate decoder, as in libdeflate: it runs while input and output have
// slack, so that it checks bounds once per turn and not inside a symbol.
//
// Hostile input: a turn begins only where the input has fast_input_bytes more and the output has
// space for all that a turn may make. So only distances are checked inside it, by the sink. A code
// without a symbol ends the loop.
#pragma once
#include "codec/deflate/format/bit_input.hpp"
#include "codec/deflate/format/decode_tables.hpp"
#include "codec/deflate/format/sinks.hpp"

namespace penstock::deflate {

// The input that one turn may read ahead: it refills three times, by 7 bytes at most, each with a
// load of 8.
constexpr std::ptrdiff_t fast_input_bytes = 32;

enum class FastStop : std::uint8_t {
  slack_used_up,
  block_ended,
  literal_symbol,
  distance_symbol,
  too_far
};

struct FastState {
  const std::uint8_t *in,
      *in_end;         // a turn begins before in_end, with fast_input_bytes after it
  std::uint64_t word;  // the next bits; those above `bits` are the input's too
  std::uint32_t bits;  // only the lowest byte counts
  const DecodeTables* tables;
};

// The dependency chain bounds this loop: a look-up, a shift by the entry's bits, the next look-up.
// So the bits after a match are looked up before its bytes are copied, three entries of literals
// share a refill, and only the entry's kind is branched on.
template <class Sink>
[[gnu::always_inline]] inline FastStop decode_fast(FastState& state, Sink& to) {
  constexpr std::uint64_t literal_mask = (1u << literal_table_bits) - 1,
                          distance_mask = (1u << distance_table_bits) - 1;
  const std::uint8_t* in = state.in;
  std::uint64_t word = state.word;
  std::uint32_t bits = state.bits;
  Sink sink = to;
  const Entry* const literals = state.tables->literals.data();
  const Entry* const distances = state.tables->distances.data();
  const auto fill = [&]() __attribute__((always_inline)) {
    word |= load8(in) << (bits & 63);
    in += 7 - (bits >> 3 & 7);
    bits |= 56;
  };
  const auto take = [&](Entry entry) __attribute__((always_inline)) {
    word >>= entry & 63;
    bits -= entry;
  };
  const auto value_of = [](std::uint64_t from, Entry entry) __attribute__((always_inline)) {
    return low_bits(from, entry & 63) >> (entry >> code_bits_at & 15);
  };
  const auto literals_at = [&](Entry entry) __attribute__((always_inline)) {
    sink.literals(entry);
    take(entry);
    return literals[word & literal_mask];
  };
  const auto is_literal = [](Entry entry) { return static_cast<std::int32_t>(entry) < 0; };

  FastStop end = FastStop::slack_used_up;
  fill();
  Entry entry = literals[word & literal_mask];
  while (in < state.in_end && sink.has_capacity()) {
    if (is_literal(entry)) {
      entry = literals_at(entry);
      if (is_literal(entry)) {
        entry = literals_at(entry);
        if (is_literal(entry)) {
          entry = literals_at(entry);
          fill();
          continue;
        }
      }
    }
    if (entry & special_entry) [[unlikely]] {
      if (entry & no_symbol_entry) {
        end = FastStop::literal_symbol;
        break;
      }
      if (!(entry & end_entry)) {
        const Entry* const second = literals + (entry >> value_at);
        const unsigned second_bits = entry >> code_bits_at & 15;
        take(entry);
        entry = second[low_bits(word, second_bits)];
      }
      if (is_literal(entry)) {
        entry = literals_at(entry);
        fill();
        continue;
      }
      if (entry & end_entry) {
        take(entry);
        end = FastStop::block_ended;
        break;
      }
    }
    std::uint64_t before = word;
    take(entry);
    const std::size_t length = (entry >> value_at) + value_of(before, entry);
    // Two entries of literals and a length leave 14 bits for this look-up.
    entry = distances[word & distance_mask];
    fill();
    if (entry & special_entry) [[unlikely]] {
      if (entry & no_symbol_entry) {
        end = FastStop::distance_symbol;
        break;
      }
      const Entry* const second = distances + (entry >> value_at);
      const unsigned second_bits = entry >> code_bits_at & 15;
      take(entry);
      entry = second[low_bits(word, second_bits)];
    }
    before = word;
    take(entry);
    const std::size_t distance = (entry >> value_at) + value_of(before, entry);
    entry = literals[word & literal_mask];  // 28 bits are left
    fill();
    if (!sink.match(length, distance)) [[unlikely]] {
      end = FastStop::too_far;
      break;
    }
  }
  state.in = in, state.word = word, state.bits = bits & 63, to = sink;
  return end;
}

}  // namespace penstock::deflate
