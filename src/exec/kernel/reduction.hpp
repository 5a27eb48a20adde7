// Reduction: aggregates over all rows. Every group leaves one partial result, and the host merges
// them in a fixed order.
#pragma once
#include "exec/kernel/tile_strategy.hpp"

namespace penstock::plan {

struct Reduction {
  BufferPointer scratch;          // words of threads
  BufferPointer partials;         // words of groups
  std::uint32_t group_count = 0;  // of the last launch

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

}  // namespace penstock::plan
