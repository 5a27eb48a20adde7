// Finds the rows of a source that a tile program needs, so that the source may skip the rest.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "fuse/program/columns_read.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Ranges that hold all keys of a join's right side. Inner and semi joins drop the other rows.
struct JoinedValues {
  std::size_t lookup = 0, key = 0;                     // of the program, and of the join
  std::vector<std::pair<Scalar, Scalar>> ranges = {};  // least and greatest value
};

// Returns whether the ranges of a join's key would leave out rows of the source.
bool can_use_values(const TileProgram& program, std::size_t lookup, std::size_t key);
// Returns a condition that holds for every row of the source that can reach the program's results
// or end it with a fault; nullopt if nothing is told about the source's columns.
std::optional<RowCondition> needed_rows(const TileProgram& program,
                                        std::span<const JoinedValues> joined = {});
// Adds the columns that a condition compares, each once.
void add_columns(const RowCondition& condition, Columns& columns);

}  // namespace penstock::plan
