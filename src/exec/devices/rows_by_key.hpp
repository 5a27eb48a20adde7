// Finds the rows of a join's right side that may have the keys of a share's left rows, by the
// records of both sources.
//
// Orders and their items are often files in the order of one key. Then each share needs other rows,
// and about as many as it would read in any case. It reads these alone: nothing is exchanged, and
// no device makes the whole table.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "penstock/plan.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// A join, and the sources below it that have its keys as columns.
struct JoinedSources {
  StepId join = no_step;
  StepId left = no_step, right = no_step;
};

// `left`: the rows of the left source by share. Returns the rows of the right one, in whole row
// groups or blocks of 64. Each row belongs to one share at least. Returns nothing in these cases:
// the records do not tell; a share needs no rows; shares need many of the same rows; one needs much
// more than the other shares, or earlier rows; or the join is NOT IN, which needs all keys.
std::optional<std::vector<RowRange>> rows_by_key(const Plan& plan, const JoinedSources& sources,
                                                 std::span<const RowRange> left);

}  // namespace penstock::plan
