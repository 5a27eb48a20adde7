// Which of a source's rows a tile program needs, so that the source need not yield the others.
#pragma once
#include "fuse/program/columns_read.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Returns a condition that holds for every row of the source that can reach the program's results
// or end it with a fault; nullopt where its predicates tell nothing about the source's columns.
std::optional<RowCondition> needed_rows(const TileProgram& program);
// Adds the columns that a condition compares, each once.
void add_columns(const RowCondition& condition, Columns& columns);

}  // namespace penstock::plan
