// How a plan is cut into stages: which steps fuse into one kernel, and which finish on the host.
#pragma once
#include <vector>

#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

Status check_result(const Plan& plan, StepId result);
// For each step, how many steps or results read it.
std::vector<std::uint32_t> count_consumers(const Plan& plan, const std::vector<StepId>& results);
// Filters and maps over the rows of an aggregate, sort or limit run in the interpreter: those
// results are small. So does every step that computes with 128-bit numbers, which kernels do not,
// and what filters and maps its rows.
bool finishes_on_host(const Plan& plan, StepId id);
// Steps that no kernel yields: what finishes on the host, and limits, orders and windows.
bool has_no_kernel(const Plan& plan, StepId id);
// Returns how many rows a step yields where its source states its number of rows and no step on
// the way drops or adds any.
std::optional<std::uint64_t> known_row_count(const Plan& plan, StepId id);
// Tells whether a reduce step only counts such rows: it needs neither a kernel nor a scan.
bool counts_known_rows(const Plan& plan, StepId id);
// How many of its input's first rows a step on the host needs for so many of its own.
std::uint64_t rows_needed(const Step& step, std::uint64_t row_limit);
// Where ORDER BY's first `row_limit` rows are few of what a kernel yields: what that kernel's rows
// are cut down to while they stream.
std::optional<TopK> top_k_of(const Plan& plan, StepId order, std::uint64_t row_limit,
                             const std::vector<std::uint32_t>& consumers);
// The step whose rows the kernel that yields `last` reads: a source, a step with several consumers,
// or a small result. On the way it passes through joins, by their left sides: lookups, so long as
// no key stands twice on the right.
StepId chain_base(const Plan& plan, StepId last, const std::vector<std::uint32_t>& consumers);

}  // namespace penstock::plan
