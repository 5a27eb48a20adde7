// ORDER BY ... LIMIT while chunks stream: of the rows that kernels keep, the first ones in the
// order.
//
// Rows are gathered until there are twice as many as are wanted, then cut down to those; the last
// of them is the bound that rows of later chunks must pass, which the kernel checks before it keeps
// a row.
#pragma once
#include <memory>

#include "plan/execution/collector.hpp"

namespace penstock::plan {

std::unique_ptr<Collector> make_top_k_collector(const TileProgram& program, StringPool& strings,
                                                const BuildSides* sides);

}  // namespace penstock::plan
