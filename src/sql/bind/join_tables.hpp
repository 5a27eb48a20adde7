// Binds FROM and WHERE to joins and filters. Each condition becomes a key of a join, a filter of
// one table below a join, or a condition on the joined rows.
//
// The inner tables form a tree. Rows of its root, the largest table, stream. The other tables are
// its children by their equalities: lookup tables with their own children. So the fact table is
// never held in memory, and each dimension is reduced by its own filters and joins. A child that is
// read by its join alone becomes a semi join, if it makes no difference how often a row comes.
#pragma once
#include "sql/bind/expression_binder.hpp"
#include "sql/bind/scope.hpp"

namespace penstock::sql {

struct JoinedTables {
  StepId step = 0;  // has the scope's columns, in the scope's order
  SyntaxPtr where;  // conditions still to apply; nullptr: none
  Status failure;   // if they cannot be joined; then the step only has the scope's columns
};
// `is_whole`: what `select` yields depends on its own clauses alone.
JoinedTables join_tables(const Lexed& lexed, Problems& problems, const Select& select,
                         const Scope& scope, Plan& plan, const TableOpener& open,
                         bool is_whole = false);

// Binds a whole SELECT (bind.cpp).
Result<StepId> bind_select(const Lexed& lexed, Problems& problems, const Select& select, Plan& plan,
                           const TableOpener& open);

}  // namespace penstock::sql
