// Two-level Huffman tables (RFC 1951, 3.2.2), as in zlib and libdeflate. An entry has the number of
// bits to take and their meaning. The extra bits of a length or a distance are taken with its code.
// Two short literals in a row are one entry.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "codec/deflate/format/deflate_format.hpp"

namespace penstock::deflate {

using Entry = std::uint32_t;

// Index bits of the first tables; longer codes continue in a second table. One bit more would hold
// more pairs of literals, but doubles the time to build a block's table and takes half of the
// first-level cache.
constexpr unsigned literal_table_bits = 11, distance_table_bits = 8, precode_table_bits = 7;

// The layout of an entry. Bits 0 to 7 of every entry: the bits to take.
//     literal:   bit 31; bits of the first code alone at 26; count (1 or 2) at 24; the second at
//     16;
//                the first at 8
//     length:    base at 16 (9 bits); bits of the code alone at 8
//     distance:  base at 16 (15 bits); bits of the code alone at 8
//     special:   bit 15, in both tables: a second table at `16` (15 bits) of 2^(bits 8 to 11)
//                entries; or the end of the block; or no symbol
constexpr Entry literal_entry = 1u << 31, special_entry = 1u << 15, end_entry = 1u << 14,
                no_symbol_entry = 1u << 13;
constexpr unsigned first_bits_at = 26, literal_count_at = 24, value_at = 16, code_bits_at = 8;

// A second table of 2^k entries belongs to at least k + 1 symbols, and k is at most 15 less the
// first table's bits.
constexpr unsigned literal_table_entries = (1u << literal_table_bits) + literal_symbols / 5 * 16;
constexpr unsigned distance_table_entries =
    (1u << distance_table_bits) + distance_symbols / 8 * 128;

struct DecodeTables {
  std::array<Entry, literal_table_entries> literals;
  std::array<Entry, distance_table_entries> distances;
};
using PrecodeTable = std::array<Entry, 1u << precode_table_bits>;  // symbols at 16

// Fills a table from the length of each symbol's code, 0 for none. Accepts the codes that zlib
// accepts: complete ones, and codes of lengths or distances with a single symbol of one bit, or
// with none. In these, all other bits are no symbol. Returns false for all other codes.
bool build_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
// Merges entries of two short literals in a row, in a table of these lengths. Takes as long as
// building the table.
void pair_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
bool build_distances(std::span<const std::uint8_t> code_bits, DecodeTables& tables);
bool build_precode(std::span<const std::uint8_t> code_bits, PrecodeTable& table);

const DecodeTables& fixed_tables();  // section 3.2.6

}  // namespace penstock::deflate
