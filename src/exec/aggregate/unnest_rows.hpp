// Rows that are repeated for each element of their lists.
#pragma once
#include "penstock/plan.hpp"

namespace penstock::plan {

// Runs a step of that kind over the rows of its input.
Result<Table> unnest_rows(const Step& step, const Table& input);

}  // namespace penstock::plan
