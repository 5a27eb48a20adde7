// The host reference of a chain of filters and maps: the interpreter's rows for a batch of its
// source.
#pragma once
#include <functional>
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Rows of a chain, and the row of the batch that each came from.
struct ReferenceRows {
  Table table;
  std::vector<std::uint64_t> numbers;
};

ReferenceRows all_rows(const Table& batch);
// Add the row numbers as a last column, "row"; and take it off again.
Table numbered(const ReferenceRows& rows);
std::vector<std::uint64_t> take_numbers(Table& table);

// Runs a filter or map over rows.
Result<ReferenceRows> after_step(const Plan& plan, StepId id, const ReferenceRows& rows);
// Runs the steps one after another. A step faults here in a value that no later step uses.
Result<ReferenceRows> rows_by_steps(const Plan& plan, const std::vector<StepId>& steps,
                                    const Table& batch);
// Runs the fused expressions, in which such a value is not a fault.
Result<ReferenceRows> rows_by_program(const TileProgram& program, const Table& batch);
// Runs by steps if that does not fault, otherwise by the program.
Result<ReferenceRows> reference_rows(const Plan& plan, StepId base, StepId last,
                                     const std::vector<StepId>& steps, const Table& batch);

// Calls visit(batch, number of its first row) until it returns false. A batch has all columns of
// the source: the ones that are not read are NULL and have no names.
using BatchVisitor = std::function<Result<bool>(const Table& batch, std::uint64_t first_row)>;
Status each_batch(const TableSource& source, const std::vector<std::uint32_t>& columns,
                  const BatchVisitor& visit);
Table joined(const Schema& schema, const std::vector<Table>& parts);

}  // namespace penstock::plan
