// The end of a tile program that aggregates: its keys, accumulators and results.
#pragma once
#include <span>
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// A step with aggregates, the schema of its input, and the program's nodes for the columns of that.
struct StepOfAggregates {
  const Step& step;
  const Schema& schema;
  std::span<const NodeId> columns;
  std::vector<bool> are_ranked = {};  // its aggregates: see ranked_extremes(); empty: none
  bool is_ranked(std::uint32_t aggregate) const {
    return !are_ranked.empty() && are_ranked[aggregate];
  }
};

// Returns how many of the step's first columns are keys.
std::size_t key_count(const Step& step);

// Adds outputs, accumulators and results of the aggregates that program.step_columns names.
Status end_with_aggregates(TileProgram& program, const StepOfAggregates& of);

}  // namespace penstock::plan
