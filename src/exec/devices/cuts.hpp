// Cuts a plan so that several devices, or processes, run it.
//
// Below a cut, each runs the same steps on a share of the rows of one source. Their results are
// merged, and the steps after the cut go on from there on one device.
#pragma once
#include <optional>
#include <vector>

#include "fuse/program/stages.hpp"

namespace penstock::plan {

struct Cut {
  StepId step = no_step;
  StepId base = no_step;  // the source with rows to split
  // The number of first rows of the step that are needed.
  std::uint64_t row_limit = ~std::uint64_t{0};
  // For a group-by if only its first groups by an order are needed: a share that has all rows of
  // its groups leaves the other groups out.
  std::optional<TopK> first_groups = {};
};

// Returns the cuts in the order in which they are run: an aggregate on the right side of a join is
// one before the join's. None if rows do not come from a source that can be split, or if the
// source's records give the answer.
Result<std::vector<Cut>> find_cuts(const Plan& plan, const std::vector<StepId>& results);
bool is_aggregate(const Plan& plan, StepId id);

}  // namespace penstock::plan
