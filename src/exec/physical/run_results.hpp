// The driver of a run on one device: it makes the physical plan, runs it, and plans anew where the
// plan does not hold.
#pragma once
#include <vector>

#include "exec/physical/run_state.hpp"

namespace penstock::plan {

// Computes several results; steps that they share run once.
Result<std::vector<QueryResult>> run_results(const Plan& plan, const std::vector<StepId>& results,
                                             const RunOptions& options, const RunInputs& inputs);

// A share of the rows of a step, to be merged with the other shares. An aggregate leaves its keys
// and accumulators, a table for each tile program. Other steps leave one table of rows.
struct ShareResult {
  std::vector<PartialTable> parts;
  RunReport report;
  double begin_seconds = 0;  // now_seconds() when it began
};
// Computes a step as the share of a larger plan.
Result<ShareResult> run_share(const Plan& plan, StepId step, std::uint64_t row_limit,
                              const RunOptions& options, const RunInputs& inputs);

// Returns whether all sources of a plan can be read a second time.
bool can_run_again(const Plan& plan);

}  // namespace penstock::plan
