// How a plan is cut into stages: which steps fuse into one kernel, and which finish on the host.
#pragma once
#include <vector>

#include "plan/tile_program.hpp"

namespace penstock::plan {

Status check_result(const Plan& plan, StepId result);
// For each step, how many steps or results read it.
std::vector<std::uint32_t> count_consumers(const Plan& plan, const std::vector<StepId>& results);
// Filters and maps over the rows of an aggregate, sort or limit run in the interpreter: those results are small. So does every step
// that computes with 128-bit numbers, which kernels do not, and what filters and maps its rows.
bool finishes_on_host(const Plan& plan, StepId id);
// The step whose rows the kernel that yields `last` reads: a source, a step with several consumers, or a small result.
StepId chain_base(const Plan& plan, StepId last, const std::vector<std::uint32_t>& consumers);

}  // namespace penstock::plan
