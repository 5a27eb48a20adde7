// Runs the recursions that a plan reads, before the plan itself. So operators, several devices and
// validation see a table in memory in the place of each.
#pragma once
#include <vector>

#include "penstock/run.hpp"

namespace penstock::plan {

// Returns the plan with the rows of the recursions that the results read. `options` has a session.
// Adds what they took to the report.
Result<Plan> with_recursions_run(const Plan& plan, const std::vector<StepId>& results,
                                 const RunOptions& options, RunReport& report);

}  // namespace penstock::plan
