// Answers bound statements of every kind: what SELECT yields, and what DESCRIBE, SUMMARIZE and
// COPY ... TO make of it.
#pragma once
#include <functional>

#include "penstock/run.hpp"
#include "penstock/sql.hpp"

namespace penstock::session {

// Runs a step of a plan, wherever the caller runs its plans.
using RunStep = std::function<Result<QueryResult>(const Plan& plan, StepId step)>;

// Returns a table as the result of a statement that ran no plan.
QueryResult result_of(Table table);

Result<QueryResult> answer_statement(const Plan& plan, const BoundSql& statement,
                                     const RunStep& run);

}  // namespace penstock::session
