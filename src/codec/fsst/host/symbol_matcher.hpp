// Finds the longest symbol at a position of a string with FSST's lossy perfect hash table.
//
// Symbols of three bytes and more are in a table indexed by a hash of their first three bytes, one
// per slot. Shorter ones are in a table indexed by the first two bytes. A set of symbols fits if no
// two long ones share a slot. Then one lookup in each table finds the longest match. Trained tables
// fit, as training drops a candidate if its slot is taken. Other tables may not fit.
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
// Returns the first `length` (0 to 8) bytes of a word, zeros after them.
inline std::uint64_t low_bytes(std::uint64_t word, std::uint32_t length) {
  return length >= 8 ? word : word & ((std::uint64_t{1} << (8 * length)) - 1);
}

// The encoding of the next bytes of a string, in 16 bits so that tables stay small: the code or
// escape_code (8 bits), the number of code bytes (2 bits; 2 for an escape), the number of string
// bytes.
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

// Returns the slot of a symbol of three bytes and more; kernels use the same (fsst_encode.kc).
constexpr std::uint32_t slot_bits = 11;  // 32 KiB on the host, which fits the first-level cache
constexpr std::uint32_t slot_of(std::uint64_t word) {
  return (static_cast<std::uint32_t>(word) << 8) * 0x9e3779b1u >> (32 - slot_bits);
}

class Matcher {
 public:
  Matcher();  // without symbols: every byte is an escape
  // Adds a symbol. Returns false, and changes nothing, if the symbol's slot is taken.
  bool add(std::uint64_t symbol, std::uint32_t length, std::uint32_t code);

  // Returns the match at eight bytes of a string. With fewer bytes left, whatever follows them, the
  // result is right if it is no longer than they are.
  Match find(std::uint64_t word) const {
    // Selects by a mask: which of the two it is cannot be predicted, and a branch would be
    // mispredicted every few symbols.
    const LongSymbol& at = long_[slot_of(word)];
    const std::uint32_t short_match = short_[word & 0xffff], long_match = at.match;
    const std::uint32_t is_long = (word ^ at.symbol) << at.unused_bits == 0 ? 1 : 0;
    return {short_match ^ ((short_match ^ long_match) & (0 - is_long))};
  }
  // Returns the match at the last `left` (1 to 7) bytes of a string, whatever follows them.
  Match find_at_end(std::uint64_t word, std::uint32_t left) const {
    const LongSymbol& at = long_[slot_of(word)];
    if ((word ^ at.symbol) << at.unused_bits == 0 && Match{at.match}.length() <= left)
      return {at.match};
    return {left == 1 ? single_[word & 0xff] : short_[word & 0xffff]};
  }

 private:
  struct LongSymbol {
    std::uint64_t symbol = 0;  // of a free slot: a word of another slot, so that nothing equals it
    std::uint16_t match = 0;
    std::uint8_t unused_bits = 0;
    bool is_free() const { return match == 0; }
  };
  void add_single(std::uint32_t byte, std::uint16_t match);

  std::array<LongSymbol, 1 << slot_bits> long_;
  std::array<std::uint16_t, 1 << 16> short_;  // matches of two bytes, or of the first one
  std::array<std::uint16_t, 256> single_;
};

// Builds a matcher from a finished table; null if its symbols do not fit.
std::unique_ptr<const Matcher> matcher_of(const SymbolTable& table);

}  // namespace penstock::fsst
