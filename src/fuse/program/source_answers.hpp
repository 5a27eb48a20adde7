// Aggregates of all rows of a source that it answers without a kernel: counts, smallest and largest
// values. Also finds the source columns that they are about.
#pragma once
#include <optional>

#include "fuse/program/stages.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Returns the row that a reduce yields; nullopt if a row must be read for it.
Result<std::optional<Table>> source_answer(const Plan& plan, StepId id);
// Returns what answered it: "the footer of lineitem.parquet".
std::string answered_from(const Plan& plan, StepId id);
const TableSource& source_of(const Plan& plan, StepId id);  // behind maps and a reduce
// Returns the number of a step's column in the source that the step begins with, behind filters,
// maps and left sides of joins; nullopt for a column that a step computes or a right side has.
std::optional<std::uint32_t> source_column(const Plan& plan, StepId id, std::uint32_t column);
// Returns the source columns with records that answer an aggregate of the reduce, if there are any.
std::vector<std::uint32_t> columns_asked(const Plan& plan, StepId id);

}  // namespace penstock::plan
