// The kernels that a plan's result takes, as execution would run them; what explain() and source()
// tell of.
#pragma once
#include "plan/fusion/stages.hpp"

namespace penstock::plan {

// The last step of every fused chain on the way to `result`, with its kernels, in the order in
// which they run. Of the right sides of joins the kernels keep only what is looked up.
struct KernelStep {
  StepId base = 0, last = 0;
  std::vector<TileProgram> programs;
};
Result<std::vector<KernelStep>> kernel_steps(const Plan& plan, StepId result,
                                             const std::vector<std::uint32_t>& consumers);

// How many of a step's first rows are asked for, as Execution asks; nullopt: `wanted` is not below
// `at`.
std::optional<std::uint64_t> rows_asked_for(const Plan& plan, StepId at, StepId wanted,
                                            std::uint64_t rows = ~std::uint64_t{0});

}  // namespace penstock::plan
