// Reads the expressions of DuckDB's plans as Syntax, which ExpressionBinder binds: a function is
// supported in a plan if it is in a statement.
#pragma once
#include "sql/duckdb/plan_columns.hpp"
#include "sql/parse/problems.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

// `columns` are those that the expression's positions count; the syntax has the relation's.
SyntaxPtr read_plan_expression(const Tree& expression, const std::vector<PlanColumn>& columns,
                               Problems& problems);
// Returns an operation at the place of its first input.
SyntaxPtr operation_syntax(std::string name, std::vector<SyntaxPtr> inputs);
// Returns the operator of a comparison in a condition of a join: "COMPARE_EQUAL" is "=".
std::string_view comparison_operator(std::string_view type);

}  // namespace penstock::sql
