// Huffman codes of literals (RFC 8878, section 4.2): the weights that a block or dictionary
// describes, and single-level decoding tables.
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

// Reads a tree's description; *used_bytes becomes its size. Returns null, or the error.
const char* read_weights(std::span<const Byte> from, HuffmanWeights& tree, std::size_t& used_bytes);

// Decoding tables, indexed by the next `code_bits` bits of a stream. `one` has a code's bits in its
// low byte and the symbol above. `two` has one or two symbols: their bits, their number, and the
// symbols, a byte each from the lowest.
struct HuffmanTable {
  unsigned code_bits = 0;
  bool has_two = false;
  std::array<std::uint16_t, 1u << largest_code_bits> one;
  std::array<std::uint32_t, 1u << largest_code_bits> two;
};

// Fills `one`; fill_two() fills `two` after it.
void fill_one(const HuffmanWeights& tree, HuffmanTable& table);
void fill_two(HuffmanTable& table);

}  // namespace penstock::zstd
