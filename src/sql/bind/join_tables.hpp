// Binds FROM and WHERE to joins and filters of relations. Each condition becomes a key of a join, a
// filter of one table below a join, or a condition on the joined rows.
//
// The inner tables form a tree. Rows of its root, the largest table, stream. The other tables are
// its children by their equalities: lookup tables with their own children. So the fact table is
// never held in memory, and each dimension is reduced by its own filters and joins. A child that is
// read by its join alone becomes a semi join, if it makes no difference how often a row comes.
#pragma once
#include "sql/bind/row_operations.hpp"

namespace penstock::sql {

struct JoinedTables {
  Rows rows;        // of the scope's tables
  SyntaxPtr where;  // conditions still to apply; nullptr: none
  Status failure;   // if they cannot be joined; then the rows only have the scope's columns
};
// `is_whole`: what `select` yields depends on its own clauses alone.
JoinedTables join_tables(BindContext& context, const Select& select, const Scope& scope,
                         const Surroundings& around, bool is_whole = false);

}  // namespace penstock::sql
