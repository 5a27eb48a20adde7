// Finds the longest symbol at a place of a text.
//
// Symbols of three bytes and more stand in a table by a hash of their first three, one in a slot;
// shorter ones in a table by the first two bytes. A set of symbols fits when no two long ones share
// a slot: then one look at each table finds the longest. Trained tables fit because a candidate
// that finds its slot taken is left out; others' tables may not.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

inline std::uint64_t load_word(const void* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}
// The first `length` (0 to 8) bytes of a word.
inline std::uint64_t low_bytes(std::uint64_t word, std::uint32_t length) {
  return length >= 8 ? word : word & ((std::uint64_t{1} << (8 * length)) - 1);
}

// What a text's next bytes become. In tables it is 16 bits, so that these stay small: the code, or
// escape_code; the bytes of codes, which are 2 for an escape; the bytes of text.
struct Match {
  static constexpr Match of(std::uint32_t code, std::uint32_t length, bool is_escape) {
    return {code | (is_escape ? 2u : 1u) << 8 | length << 10};
  }
  std::uint32_t code() const { return bits & 255; }
  std::uint32_t code_bytes() const { return bits >> 8 & 3; }
  std::uint32_t length() const { return bits >> 10; }
  bool is_escape() const { return code_bytes() == 2; }

  std::uint32_t bits = 0;
};

// The slot of a symbol of three bytes and more, also in tables of devices (fsst_encode.kc).
constexpr std::uint32_t slot_bits = 11;  // 32 KiB on the host, which the fastest cache holds
constexpr std::uint32_t slot_of(std::uint64_t word) {
  return (static_cast<std::uint32_t>(word) << 8) * 0x9e3779b1u >> (32 - slot_bits);
}

class Matcher {
 public:
  Matcher();  // no symbols: every byte is an escape
  // False, and nothing changes, when the symbol's slot is taken.
  bool add(std::uint64_t symbol, std::uint32_t length, std::uint32_t code);

  // The match at eight bytes of text; with fewer bytes left, whatever stands behind them, the right
  // one if it is no longer than they are.
  Match find(std::uint64_t word) const {
    // DeviceSelectedRowDecoder by a mask: which of the two it is cannot be foretold, and a branch
    // would be wrong every few symbols.
    const LongSymbol& at = long_[slot_of(word)];
    const std::uint32_t short_match = short_[word & 0xffff], long_match = at.match;
    const std::uint32_t is_long = (word ^ at.symbol) << at.unused_bits == 0 ? 1 : 0;
    return {short_match ^ ((short_match ^ long_match) & (0 - is_long))};
  }
  // The match at the text's last `left` (1 to 7) bytes, whatever stands behind them.
  Match find_at_end(std::uint64_t word, std::uint32_t left) const {
    const LongSymbol& at = long_[slot_of(word)];
    if ((word ^ at.symbol) << at.unused_bits == 0 && Match{at.match}.length() <= left)
      return {at.match};
    return {left == 1 ? single_[word & 0xff] : short_[word & 0xffff]};
  }

 private:
  struct LongSymbol {
    std::uint64_t symbol = 0;  // a free slot's is a word of another slot: nothing equals it
    std::uint16_t match = 0;
    std::uint8_t unused_bits = 0;
    bool is_free() const { return match == 0; }
  };
  void add_single(std::uint32_t byte, std::uint16_t match);

  std::array<LongSymbol, 1 << slot_bits> long_;
  std::array<std::uint16_t, 1 << 16> short_;  // matches of two bytes, or of the first one
  std::array<std::uint16_t, 256> single_;
};

// With the codes of a finished table; null when its symbols do not fit.
std::unique_ptr<const Matcher> matcher_of(const SymbolTable& table);

}  // namespace penstock::fsst
