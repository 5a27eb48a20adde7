// Keys of GROUP BY that follow from other keys: constants, and expressions of columns that are
// keys.
#pragma once
#include <memory>
#include <vector>

#include "penstock/plan.hpp"

namespace penstock::sql {

// Adds a step that groups by the other keys, and a map that computes these from each group. Yields
// the keys, then the aggregates, as Plan::group_by() does. Rows are sorted by the other keys.
Result<StepId> group_by_keys(Plan& plan, StepId input, const std::shared_ptr<const Graph>& graph,
                             const std::vector<Projection>& keys,
                             const std::vector<AggregateCall>& aggregates);

}  // namespace penstock::sql
