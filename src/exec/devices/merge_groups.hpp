// Merges groups that several devices or processes left as tables of keys and accumulators.
#pragma once
#include <span>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Adds them up in the order of the shares. Returns the results, sorted by the keys. `first`: see
// GroupTable::results().
Result<Table> merge_groups(const TileProgram& program, std::span<const Table> shares,
                           const TopK* first = nullptr);

}  // namespace penstock::plan
