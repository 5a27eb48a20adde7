// The destinations of a decoder's literals and matches. decode_fast.hpp's loop keeps a copy of one
// in registers, and requires:
//
//     has_capacity()       whether one more turn fits: three entries of literals and a match
//     literals(entry)      appends one or two literals of an entry
//     match(l, d)          appends a match; false if the distance reaches too far
//
// The careful loop requires fits(l), literal(byte), match_exactly(l, d), and stored(bytes, count),
// which returns how many bytes it took.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/deflate/format/copy_match.hpp"
#include "codec/deflate/format/decode_tables.hpp"

namespace penstock::deflate {

// Symbols that may be written after an output's end: a match that began before it, and the excess
// of wide copies.
constexpr std::size_t output_slack = max_match_bytes + 62;

// Bytes, or 16-bit marker symbols where the window is unknown: a value below 256 is a byte, 32768 +
// n is byte n of the 32 KiB before the first (Kerbiriou and Chikhi, pugz, arXiv 1905.07224).
template <class Symbol> struct SymbolSink {
  Symbol* begin;  // distances reach down to here
  Symbol* at;
  Symbol* end;
  // `end` where output_slack symbols after it may be written; else before it, so that none is.
  Symbol* fast_end;

  static SymbolSink with_slack(Symbol* begin, Symbol* at, Symbol* end) {
    return {begin, at, end, end};
  }
  static SymbolSink exact(Symbol* begin, Symbol* at, Symbol* end) {
    return {begin, at, end,
            end - at > static_cast<std::ptrdiff_t>(output_slack) ? end - output_slack : at};
  }

  [[gnu::always_inline]] bool has_capacity() const { return at < fast_end; }
  [[gnu::always_inline]] void literals(Entry entry) {
    if constexpr (sizeof(Symbol) == 1) {
      const auto both = static_cast<std::uint16_t>(entry >> 8);
      std::memcpy(at, &both, 2);
    } else {
      const std::uint32_t both = (entry >> 8 & 0xff) | (entry & 0xff0000);
      std::memcpy(at, &both, 4);
    }
    at += entry >> literal_count_at & 3;
  }
  [[gnu::always_inline]] bool match(std::size_t length, std::size_t distance) {
    if (distance > static_cast<std::size_t>(at - begin)) [[unlikely]]
      return false;
    copy_match(reinterpret_cast<std::uint8_t*>(at), distance * sizeof(Symbol),
               length * sizeof(Symbol));
    at += length;
    return true;
  }

  bool fits(std::size_t length) const {
    return at < end && (fast_end == end || length <= static_cast<std::size_t>(end - at));
  }
  void literal(std::uint8_t byte) { *at++ = byte; }
  bool match_exactly(std::size_t length, std::size_t distance) {
    if (distance > static_cast<std::size_t>(at - begin)) return false;
    const Symbol* from = at - distance;
    for (; length > 0; length--) *at++ = *from++;
    return true;
  }
  std::size_t stored(const std::uint8_t* bytes, std::size_t count) {
    count = std::min(count, at < end ? static_cast<std::size_t>(end - at) : 0);
    at = std::copy_n(bytes, count, at);
    return count;
  }
};
using ByteSink = SymbolSink<std::uint8_t>;
using MarkerSink = SymbolSink<std::uint16_t>;

// A match and the literals before it in one word. The copy waits until the window is known.
using Token = std::uint32_t;
constexpr unsigned token_length_at = 15,
                   token_run_at = 23;     // distance - 1, length - 3, literals: 15, 8, 9 bits
constexpr std::size_t longest_run = 511;  // this many literals and no match

struct TokenSink {
  // Literals: the first since the last match, and where the next one goes.
  std::uint8_t *run_begin, *at, *end;
  Token *token, *token_end;
  std::uint64_t match_bytes = 0;

  [[gnu::always_inline]] bool has_capacity() const { return at < end && token < token_end; }
  [[gnu::always_inline]] void literals(Entry entry) {
    const auto both = static_cast<std::uint16_t>(entry >> 8);
    std::memcpy(at, &both, 2);
    at += entry >> literal_count_at & 3;
  }
  [[gnu::always_inline]] bool match(std::size_t length, std::size_t distance) {
    if (at - run_begin >= static_cast<std::ptrdiff_t>(longest_run)) [[unlikely]]
      split_run();
    const auto run = static_cast<std::size_t>(at - run_begin);
    *token++ =
        static_cast<Token>(run << token_run_at | (length - 3) << token_length_at | (distance - 1));
    run_begin = at;
    match_bytes += length;
    return true;
  }
  // A stored block has up to 65535 bytes, and literals of several blocks may be consecutive: up to
  // a step's, as fits() and stored() ensure.
  [[gnu::noinline]] void split_run() {
    for (; at - run_begin >= static_cast<std::ptrdiff_t>(longest_run); run_begin += longest_run)
      *token++ = longest_run << token_run_at;
  }

  bool fits(std::size_t) const { return has_capacity(); }
  void literal(std::uint8_t byte) { *at++ = byte; }
  bool match_exactly(std::size_t length, std::size_t distance) { return match(length, distance); }
  std::size_t stored(const std::uint8_t* bytes, std::size_t count) {
    count = has_capacity() ? std::min(count, static_cast<std::size_t>(end - at)) : 0;
    at = std::copy_n(bytes, count, at);
    return count;
  }
};

}  // namespace penstock::deflate
