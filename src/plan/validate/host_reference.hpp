// The host reference of a chain of filters and maps: what the interpreter makes of a batch of its
// source's rows.
#pragma once
#include <functional>
#include <vector>

#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

// Rows of a chain, and which of the batch's rows each comes from.
struct ReferenceRows {
  Table table;
  std::vector<std::uint64_t> numbers;
};

ReferenceRows all_rows(const Table& batch);
// With the numbers as a last column, "row"; and back.
Table numbered(const ReferenceRows& rows);
std::vector<std::uint64_t> take_numbers(Table& table);

// A filter or map over rows.
Result<ReferenceRows> after_step(const Plan& plan, StepId id, const ReferenceRows& rows);
// The steps one after another. A step faults here in a value that no later step uses.
Result<ReferenceRows> rows_by_steps(const Plan& plan, const std::vector<StepId>& steps,
                                    const Table& batch);
// The fused expressions, in which such a fault is none.
Result<ReferenceRows> rows_by_program(const TileProgram& program, const Table& batch);
// By steps where that can be done, else by the program.
Result<ReferenceRows> reference_rows(const Plan& plan, StepId base, StepId last,
                                     const std::vector<StepId>& steps, const Table& batch);

// Calls visit(batch, number of its first row) with all columns until it says false.
using BatchVisitor = std::function<Result<bool>(const Table& batch, std::uint64_t first_row)>;
Status each_batch(const TableSource& source, const BatchVisitor& visit);
Table joined(const Schema& schema, const std::vector<Table>& parts);

}  // namespace penstock::plan
