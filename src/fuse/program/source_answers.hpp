// Aggregates of all rows of a source that it answers without a kernel: counts, and smallest and
// largest values. And which column of a source they are asked of.
#pragma once
#include <optional>

#include "fuse/program/stages.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Returns the row that a reduce yields; nullopt where a row must be read for it.
Result<std::optional<Table>> source_answer(const Plan& plan, StepId id);
// Returns what answered it: "the footer of lineitem.parquet".
std::string answered_from(const Plan& plan, StepId id);
const TableSource& source_of(const Plan& plan, StepId id);  // behind maps and a reduce
// Returns the number of a step's column in the source that the step begins with, behind filters,
// maps and left sides of joins; nullopt of a column that a step computes or that a right side has.
std::optional<std::uint32_t> source_column(const Plan& plan, StepId id, std::uint32_t column);
// Returns the columns of its source whose records answer an aggregate of the reduce, if any do.
std::vector<std::uint32_t> columns_asked(const Plan& plan, StepId id);

}  // namespace penstock::plan
