// Finds the rows of a source that a tile program needs, so that the source may skip the rest.
#pragma once
#include "fuse/program/columns_read.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Returns a condition that holds for every row of the source that can reach the program's results
// or end it with a fault; nullopt if its predicates tell nothing about the source's columns.
std::optional<RowCondition> needed_rows(const TileProgram& program);
// Adds the columns that a condition compares, each once.
void add_columns(const RowCondition& condition, Columns& columns);

}  // namespace penstock::plan
