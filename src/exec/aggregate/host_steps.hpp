// Steps that run on the host: steps after an aggregate, a sort or a limit, and steps that compute
// with 128-bit numbers.
#pragma once
#include <span>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Runs a filter, map, reduce or group-by over its materialised input, by the interpreter. A fault
// is an error, as on a device.
Result<Table> apply_on_host(const Plan& plan, StepId id, const Table& input);
Result<Table> aggregate_on_host(const Plan& plan, StepId id, const Table& input);
// Runs a step, with the filters and maps between it and `base`. `input` has the rows of `base`.
Result<Table> aggregate_on_host(const Plan& plan, StepId base, StepId id, const Table& input);
// Evaluates a row by the fused expressions; `roots` are the program's predicates, then the other
// values. Returns fewer values if a predicate does not pass. `input` has the derived columns too.
Result<std::vector<Scalar>> values_of_row(const TileProgram& program, std::span<const NodeId> roots,
                                          const Table& input, std::uint64_t row);
Table limit_rows(const Table& table, std::uint64_t count, std::uint64_t offset);
// Puts the columns of a step's slices together, in the step's order. With a row limit each part
// ends once it has enough rows, at the end of one of its own chunks.
Table beside(std::span<const TileProgram> programs, std::vector<Table> parts);

}  // namespace penstock::plan
