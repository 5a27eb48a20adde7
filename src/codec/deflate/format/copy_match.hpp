// Copies an LZ77 match, which may overlap its own output, by wide stores. May write up to 48 bytes
// after the match.
//
// A distance below 8 repeats a word: its bytes times a factor fill the word, which is stored in
// steps of whole periods. Callers check distance and length, and leave the 48 bytes free.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace penstock::deflate {

[[gnu::always_inline]] inline void copy16(std::uint8_t* to, const std::uint8_t* from) {
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), from, 16);
  std::memcpy(to, words.data(), 16);
}

// The factor that repeats the first bytes of a word through it, and how many bytes of the word are
// whole periods.
struct Period {
  std::uint64_t repeat;
  std::uint8_t bytes;
};
constexpr std::array<Period, 8> periods = {{{0, 0},
                                            {0x0101010101010101, 8},
                                            {0x0001000100010001, 8},
                                            {0x0001000001000001, 6},
                                            {0x0000000100000001, 8},
                                            {0x0000010000000001, 5},
                                            {0x0001000000000001, 6},
                                            {0x0100000000000001, 7}}};

// Copies `length` bytes from `distance` before `to`. Most matches of text have less than 16 bytes,
// and nearly all less than 32.
[[gnu::always_inline]] inline void copy_match(std::uint8_t* to, std::size_t distance,
                                              std::size_t length) {
  const std::uint8_t* from = to - distance;
  std::uint8_t* const end = to + length;
  std::uint64_t word;
  if (distance >= 16) [[likely]] {
    copy16(to, from);
    copy16(to + 16, from + 16);
    for (to += 32, from += 32; to < end; to += 32, from += 32) {
      copy16(to, from);
      copy16(to + 16, from + 16);
    }
  } else if (distance >= 8) {
    for (; to < end; to += 8, from += 8) {
      std::memcpy(&word, from, 8);
      std::memcpy(to, &word, 8);
    }
  } else {
    std::memcpy(&word, from, 8);
    word = (word & ((std::uint64_t{1} << 8 * distance) - 1)) * periods[distance].repeat;
    for (const std::size_t step = periods[distance].bytes; to < end; to += step)
      std::memcpy(to, &word, 8);
  }
}

}  // namespace penstock::deflate
