// Blocks of many rows for `penstock bench light`, made within seconds: one encoded block again and
// again. Every repetition has words of its own, so that a kernel reads as many bytes as it would
// with different values.
#pragma once
#include "codec/light/format/light_block.hpp"

namespace penstock::bench {

// Returns a block of `rows` rows that repeats the rows of `block`. Their number is a multiple of
// LIGHT_VECTOR_VALUES, unless it is `rows`.
Result<light::Block> repeated_block(const light::Block& block, std::uint64_t rows);

}  // namespace penstock::bench
