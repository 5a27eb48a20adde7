// The kernels that a plan's result takes. Execution, explain() and source() all ask here which
// chains there are, what each reads, and which programs it becomes.
#pragma once
#include "fuse/program/columns_read.hpp"
#include "fuse/program/stages.hpp"

namespace penstock::plan {

// Fuses the steps from `base` to `last` into as few programs as fit. `wanted`: the columns of
// `last` that are needed; empty: all. With columns wanted there is no `top_k`.
Result<std::vector<TileProgram>> fuse_chain(const Plan& plan, StepId base, StepId last,
                                            const Columns& wanted,
                                            const std::optional<TopK>& top_k);
// Returns which of the wanted columns a step may be limited to; empty: it yields all of them. Other
// consumers look at every column.
Columns columns_kept(const Plan& plan, StepId id, const Columns& wanted,
                     const std::vector<std::uint32_t>& consumers);

// A step whose rows a chain reads, and the columns it needs of them.
struct ChainInput {
  StepId step = no_step;
  Columns columns;
};
// Returns the steps, sources aside, whose rows a chain reads: the right sides of its joins, of
// which kernels keep only what is looked up, then its base.
std::vector<ChainInput> chain_inputs(const Plan& plan, StepId base, StepId last,
                                     const std::vector<TileProgram>& programs);

// A chain that yields step `last`, with its kernels.
struct KernelStep {
  StepId base = 0, last = 0;
  std::vector<TileProgram> programs;
};
// Returns the chains that `result` needs, in the order in which they run.
Result<std::vector<KernelStep>> kernel_steps(const Plan& plan, StepId result,
                                             const std::vector<std::uint32_t>& consumers);

// Returns how many of the first rows of step `wanted` are asked for if `rows` of step `at` are, as
// Execution asks; nullopt if `at` does not read `wanted`.
std::optional<std::uint64_t> rows_asked_for(const Plan& plan, StepId at, StepId wanted,
                                            std::uint64_t rows = ~std::uint64_t{0});

}  // namespace penstock::plan
