// FROM and WHERE as steps: which conditions are keys of joins, which are filters of one table and
// belong below a join, and what is left for the rows that come out.
//
// The inner tables form a tree: the largest one is the root, whose rows stream; the others hang on
// it by their equalities, and are looked up in with what hangs on them. So the table of facts is
// never held in memory, and each dimension is reduced by its own.
#pragma once
#include "sql/bind/expression_binder.hpp"
#include "sql/bind/scope.hpp"

namespace penstock::sql {

struct JoinedTables {
  StepId step = 0;  // has the scope's columns, in the scope's order
  SyntaxPtr where;  // what is still to be asked; nullptr: nothing
};
Result<JoinedTables> join_tables(const Lexed& lexed, const Select& select, const Scope& scope,
                                 Plan& plan, const TableOpener& open);

// The whole of a SELECT (bind.cpp).
Result<StepId> bind_select(const Lexed& lexed, const Select& select, Plan& plan,
                           const TableOpener& open);

}  // namespace penstock::sql
