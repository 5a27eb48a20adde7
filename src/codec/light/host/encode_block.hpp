// Encodes columns of numbers as light encodings: for each vector of 1024 values the smallest of the
// kinds that are allowed. A dictionary is used where it saves more than it takes itself.
#pragma once
#include <cstdint>

#include "codec/light/format/light_block.hpp"

namespace penstock::light {

// The kinds that vectors may have, a bit each: 1 << LIGHT_DELTA. Packed values are always allowed.
struct Kinds {
  std::uint32_t allowed = 0;
  bool has_base = true;  // of packed values; else a negative one takes all bits
};
constexpr std::uint32_t max_dictionary_entries = 1 << 16;

// The values of NULL rows are lost: one of a neighbour stands there. At most 2^31 rows.
// Code::unsupported if no light encoding has the column's type.
Result<Block> encode(const Column& column, Kinds kinds);

}  // namespace penstock::light
