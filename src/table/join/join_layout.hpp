// The layout of a join's table. Lookups read it. The host makes it (table/join/join_table.hpp), or
// a device (table/join/device_join_table.hpp).
//
// A key is a row's words (as group keys are: equal keys, equal words). `positions` is a hash table
// with linear probing: a position holds the number of a row plus 1, or 0. `table` is a header, then
// the words of every row. A table of one key may keep the order of its values, if they are even. If
// the keys are integers of a narrow range, a position belongs to one key alone: nothing is
// compared, and no words follow the header. Rows with a NULL key have no position. If keys are
// compared, at least one position is always 0, so that probing ends.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "table/kernels/join_table_limits.h"

namespace penstock::plan {

// A key's position is (key 0 - base, mixed with the other keys) * factor >> shift. Beyond the last
// position there is no row. The table has the rows of a range of buckets (JOIN_BUCKET_COUNT) alone:
// `header_buckets` has the first of them, and in its upper half their number.
enum JoinHeader : std::uint32_t {
  header_base = JOIN_BASE,
  header_factor = JOIN_FACTOR,
  header_shift = JOIN_SHIFT,
  header_last_position = JOIN_LAST_POSITION,
  header_is_exact = JOIN_IS_EXACT,
  header_has_rows = JOIN_HAS_ROWS,
  header_has_nulls = JOIN_HAS_NULLS,  // for NOT IN; has_nulls: a row with a NULL key
  header_buckets = JOIN_BUCKETS,
  header_words = JOIN_HEADER_WORDS,
};
using JoinHeaderWords = std::array<std::uint64_t, header_words>;

constexpr std::uint64_t join_sign_bit = std::uint64_t{1} << 63;

// Buckets of keys from `first` to before `last`.
struct BucketRange {
  std::uint32_t first = 0, last = JOIN_BUCKET_COUNT;
};
constexpr std::uint64_t bucket_word(BucketRange buckets) {
  return buckets.first | static_cast<std::uint64_t>(buckets.last - buckets.first) << 32;
}

// Returns whether each of so many rows' keys gets a position of its own: four bytes each, against
// two positions and the words of a key in a hash table. The bounds are offsets from the least
// signed number.
constexpr bool is_exact_range(std::uint64_t lowest, std::uint64_t highest,
                              std::uint64_t row_count) {
  constexpr std::uint64_t max_positions_per_row = 8, always_exact_positions = 1 << 12;
  return highest - lowest < std::max(row_count * max_positions_per_row, always_exact_positions);
}
constexpr JoinHeaderWords exact_header(std::uint64_t lowest, std::uint64_t highest) {
  return {lowest ^ join_sign_bit, 1, 0, highest - lowest, 1, 0, 0, bucket_word({})};
}

// The header of a hash table with at most half of its positions in use.
constexpr JoinHeaderWords hashed_header(std::uint64_t row_count) {
  const int bits = std::max(4, static_cast<int>(std::bit_width(2 * row_count)));
  return {0,
          0x9E3779B97F4A7C15u,
          static_cast<std::uint64_t>(64 - bits),
          (std::uint64_t{1} << bits) - 1,
          0,
          0,
          0,
          bucket_word({})};
}

// The header of a table in the order of its one key: so many neighbouring keys share a position
// that at most half of the positions are in use. Rows that come in the order of the key then read
// positions and words in order. A hash would scatter these over more than the caches hold.
constexpr JoinHeaderWords ordered_header(std::uint64_t lowest, std::uint64_t highest,
                                         std::uint64_t row_count) {
  std::uint64_t shift = 0;
  while ((highest - lowest) >> (shift + 1) >= 2 * row_count) shift++;
  return {lowest ^ join_sign_bit, 1, shift, (highest - lowest) >> shift, 0, 0, 0, bucket_word({})};
}

}  // namespace penstock::plan
