// Where a plan is cut so that several devices, or processes, run it.
//
// Below a cut, each runs the same steps on a share of the rows of one source. What they yield is
// merged, and the steps after the cut go on from there on one device.
#pragma once
#include <optional>
#include <vector>

#include "fuse/program/stages.hpp"

namespace penstock::plan {

struct Cut {
  StepId step = no_step;
  StepId base = no_step;  // the source whose rows are split
  // How many first rows of the step are asked for.
  std::uint64_t row_limit = ~std::uint64_t{0};
  // Of a group-by whose first groups by an order are asked for: a share that has all rows of its
  // groups leaves the others out.
  std::optional<TopK> first_groups = {};
};

// Returns the cuts in the order in which they are run: an aggregate on the right side of a join is
// one before the join's. None where rows do not come from a source that can be split, and where
// records of the source answer.
Result<std::vector<Cut>> find_cuts(const Plan& plan, const std::vector<StepId>& results);
bool is_aggregate(const Plan& plan, StepId id);

}  // namespace penstock::plan
