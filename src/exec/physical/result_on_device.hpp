// A result whose columns stay in device memory.
#pragma once
#include "exec/physical/operator.hpp"

namespace penstock::plan {

// Runs a root that may leave its rows in device memory. Columns that RunOptions::results_on_device
// names stay there, the others come to the host. All come where the rows do not fit, or are few.
Result<Table> result_on_device(RunState& run, StepId step, Operator& root);

}  // namespace penstock::plan
