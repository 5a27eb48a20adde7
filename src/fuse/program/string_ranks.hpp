// Order of strings by their ranks: kernels order numbers.
//
// A column's ranks are known once all its strings are numbered, which a session keeps. The least
// string of a group is then the one with the least rank, and a top-k orders ranks.
#pragma once
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

bool is_rank(const DerivedColumn& derived);
// Returns the columns of the source with ranks that the program reads.
std::vector<std::uint32_t> ranked_columns(const TileProgram& program);

// Returns a program over the rows of another one that reads nothing but the codes of a column.
TileProgram program_of_strings(const TileProgram& program, std::uint32_t column);

// Returns whether a node of the program is a column of strings of the source.
bool can_be_ranked(const TileProgram& program, NodeId node);
// Returns the node of its ranks.
NodeId add_ranks(TileProgram& program, NodeId strings);
// Returns, for each aggregate of a step, whether it is the least or greatest string of a column of
// the source, which is a source step.
std::vector<bool> ranked_extremes(const Plan& plan, StepId base, StepId last);
// Makes a top-k order ranks, in outputs after the others.
void rank_keys(TileProgram& program);

}  // namespace penstock::plan
