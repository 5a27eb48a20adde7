// Which rows of a join's right side may have the keys of a share's left rows, by what the records
// of both sources say.
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

// A join, and the sources below it whose columns are its keys.
struct JoinedSources {
  StepId join = no_step;
  StepId left = no_step, right = no_step;
};

// `left`: the rows of the left source by share. Returns those of the right one, in whole row groups
// or blocks of 64. Each row is one share's at least. Returns nothing where the records do not tell,
// or tell that a share needs none. The same where shares need many of the same rows, where one
// needs much more than others, or earlier ones, and for NOT IN, which asks for all keys.
std::optional<std::vector<RowRange>> rows_by_key(const Plan& plan, const JoinedSources& sources,
                                                 std::span<const RowRange> left);

}  // namespace penstock::plan
