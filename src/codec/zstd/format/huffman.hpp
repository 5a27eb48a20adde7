// Huffman codes of literals (RFC 8878, section 4.2): the weights that a block or dictionary
// describes, and single-level decoding tables.
//
// The code is canonical. Weights are 4-bit numbers, or FSE-coded with two states that take turns.
// The last weight is not stored; it completes the sum of 2^(weight - 1) to a power of two.
//
// Hostile input: weights that no power of two completes, codes that are too long and an odd number
// of longest codes are errors, so that tables are always full.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"

namespace penstock::zstd {

// A symbol's code has code_bits + 1 - weight bits. Weight 0 is no code.
struct HuffmanWeights {
  std::uint8_t code_bits = 0;  // of the longest code; 0: no tree
  std::uint16_t symbol_count = 0;
  std::array<std::uint8_t, 256> weights{};
};

// Reads the description of a tree with codes of at most `largest_bits`; *used_bytes becomes its
// size. Returns null, or the error.
const char* read_weights(std::span<const Byte> from, unsigned largest_bits, HuffmanWeights& tree,
                         std::size_t& used_bytes);

// Decoding tables, indexed by the next `code_bits` bits of a stream. `one` has a code's bits in its
// low byte and the symbol above. `two` has one or two symbols: their bits, their number, and the
// symbols, a byte each from the lowest.
struct HuffmanTable {
  unsigned code_bits = 0;
  bool has_two = false;
  std::array<std::uint16_t, 1u << largest_dictionary_code_bits> one;
  std::array<std::uint32_t, 1u << largest_code_bits> two;
};

// Fills `one`; fill_two() fills `two` after it, of codes of at most largest_code_bits.
void fill_one(const HuffmanWeights& tree, HuffmanTable& table);
void fill_two(HuffmanTable& table);

}  // namespace penstock::zstd
