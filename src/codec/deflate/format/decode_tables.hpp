// Look-up tables of Huffman codes. An entry says in one word how many bits to take and what they
// mean, with the bits that a length or a distance has behind its code taken at once; short literals
// that follow one another are one entry.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "codec/deflate/format/deflate_format.hpp"

namespace penstock::deflate {

using Entry = std::uint32_t;

// Bits that are looked up at once; longer codes go on in a second table. One bit more would hold
// more pairs of literals, and costs twice the time for each block's table and half of the
// first-level cache.
constexpr unsigned literal_table_bits = 11, distance_table_bits = 8, precode_table_bits = 7;

// Bits 0 to 7 of every entry: the bits to take.
//   literal:   bit 31; bits of the first alone at 26; how many (1 or 2) at 24, the second at 16,
//   the first at 8 length:    base at 16 (9 bits); bits of the code alone at 8 distance:  base at
//   16 (15 bits); bits of the code alone at 8 special (bit 15, in both tables): a second table at
//   `16` (15 bits) of 2^(bits 8 to 11) entries; or the end of the block; or no symbol
constexpr Entry literal_entry = 1u << 31, special_entry = 1u << 15, end_entry = 1u << 14,
                no_symbol_entry = 1u << 13;
constexpr unsigned first_bits_at = 26, literal_count_at = 24, value_at = 16, code_bits_at = 8;

// A second table of 2^k entries belongs to k + 1 symbols at least, and k is at most 15 less the
// first table's bits.
constexpr unsigned literal_table_entries = (1u << literal_table_bits) + literal_symbols / 5 * 16;
constexpr unsigned distance_table_entries =
    (1u << distance_table_bits) + distance_symbols / 8 * 128;

struct DecodeTables {
  std::array<Entry, literal_table_entries> literals;
  std::array<Entry, distance_table_entries> distances;
};
using PrecodeTable = std::array<Entry, 1u << precode_table_bits>;  // symbols at 16

// Fills a table from the bits of each symbol's code, 0 where it has none. The codes that zlib takes
// are taken: complete ones, and those of lengths or distances with a single symbol of one bit, or
// with none, where the other bits are no symbol. False says that it is neither.
bool build_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
// Makes one entry of short literals that follow one another, in a table of these bits. As much work
// as the table itself.
void pair_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
bool build_distances(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
bool build_precode(std::span<const std::uint8_t> code_bits, PrecodeTable& table);

const DecodeTables& fixed_tables();  // section 3.2.6

}  // namespace penstock::deflate
