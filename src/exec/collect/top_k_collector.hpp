// ORDER BY ... LIMIT while chunks stream (top-k): keeps the first of the kernels' rows, in the
// order.
//
// Rows are gathered until there are twice as many as are wanted, then cut down to the wanted ones.
// The last of them is the bound that rows of later chunks must pass, which the kernel checks before
// it keeps a row. A device with cores of its own selects the first rows of a large chunk before
// they are downloaded (first_of_chunk.hpp).
#pragma once
#include <memory>

#include "exec/collect/collector.hpp"
#include "exec/kernel/lookup_memory.hpp"

namespace penstock::plan {

std::unique_ptr<Collector> make_top_k_collector(const TileProgram& program,
                                                const ProgramStrings& strings,
                                                const BuildSides* sides, const MergePlace& place);

}  // namespace penstock::plan
