// Fuses a chain of a plan into tile programs, with the columns that its reader wants.
#pragma once
#include "fuse/program/columns_read.hpp"
#include "fuse/program/stages.hpp"

namespace penstock::plan {

// Fuses the steps from `base` to `last` into as few programs as fit. `wanted`: the columns of
// `last` that are needed; empty: all. With columns wanted there is no `top_k`.
// `ranks_strings`: see fuse().
Result<std::vector<TileProgram>> fuse_chain(const Plan& plan, StepId base, StepId last,
                                            const Columns& wanted, const std::optional<TopK>& top_k,
                                            bool ranks_strings);
// Returns which of the wanted columns a step may be limited to; empty: it yields all of them. Other
// consumers look at every column.
Columns columns_kept(const Plan& plan, StepId id, const Columns& wanted,
                     const std::vector<std::uint32_t>& consumers);

}  // namespace penstock::plan
