// Reads codes eight at a time: a symbol table laid out for lookups, and the measuring of a row.
//
// Eight codes are loaded as one 64-bit word. A few operations on the whole word find the bytes that
// are not a symbol's code (SWAR), so that the usual case, eight symbols, has one branch.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

static_assert(std::endian::native == std::endian::little, "symbols and codes are loaded as words");

inline std::uint64_t load_codes(const std::uint8_t* codes) {
  std::uint64_t word;
  std::memcpy(&word, codes, 8);
  return word;
}
// Loads the last `count` (below eight) codes of a row; the bytes after them are zero.
inline std::uint64_t load_last_codes(const std::uint8_t* codes, std::uint64_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, codes, count);
  return word;
}

struct CodeTable {
  explicit CodeTable(const SymbolTable& table)
      : limit_adds(bytes_of((128 - (table.symbol_count & 127)) & 255)),
        low_limit(table.symbol_count < 128 ? ~std::uint64_t{0} : 0) {
    std::memcpy(symbols, table.symbols.data(), sizeof table.symbols);
    std::memcpy(lengths, table.lengths.data(), sizeof table.lengths);
    symbol_count = table.symbol_count;
  }

  // Returns bit 7 of every byte that is no symbol's code: an escape, or a code without a symbol.
  std::uint64_t special(std::uint64_t codes) const {
    const std::uint64_t carries = (codes & bytes_of(0x7f)) +
                                  limit_adds;  // bit 7: the low seven bits are at least the limit's
    return ((codes & carries) | ((codes | carries) & low_limit)) & bytes_of(0x80);
  }
  // Returns the output bytes of eight symbols.
  std::uint64_t string_bytes(std::uint64_t codes) const {
    std::uint64_t bytes = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++, codes >>= 8) bytes += lengths[codes & 255];
    return bytes;
  }
  static constexpr std::uint64_t bytes_of(std::uint64_t byte) { return byte * 0x0101010101010101; }

  std::uint64_t symbols[256] = {};
  std::uint8_t lengths[256] = {};
  std::uint64_t limit_adds, low_limit;  // the number of symbols, as special() compares with it
  std::uint32_t symbol_count;
};

inline std::uint32_t first_byte_of(std::uint64_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask)) / 8;
}

// Classifies the code at `at`, which is no symbol's, of a row that ends at `end`.
enum class Special : unsigned char { literal, ends_early, no_symbol };
inline Special special_at(const std::uint8_t* at, const std::uint8_t* end) {
  if (*at != escape_code) return Special::no_symbol;
  return end - at < 2 ? Special::ends_early : Special::literal;
}

// Returns an error such as "row 7, byte 3 of its codes: an escape at the row's end".
Status bad_code(Special special, std::uint32_t code, std::uint64_t row, std::uint64_t byte);

// The number of output bytes of a row's codes, or the first wrong code.
struct Measured {
  std::uint64_t string_bytes = 0;
  const std::uint8_t* error = nullptr;
  Special special = Special::literal;
};
Measured measure(const CodeTable& table, const std::uint8_t* at, const std::uint8_t* end);

}  // namespace penstock::fsst
