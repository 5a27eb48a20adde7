// Binds subqueries as the right sides of joins: EXISTS (SELECT ...), x IN (SELECT ...), x < ANY
// (SELECT ...) and those that stand for a value. A comparison in their WHERE with a column of the
// outer statement becomes a condition of the join.
#pragma once
#include "sql/bind/join_tables.hpp"

namespace penstock::sql {

// A conjunct that is a subquery, without its NOTs.
struct SubqueryCondition {
  SyntaxPtr subquery;
  bool negated = false;
};
std::optional<SubqueryCondition> subquery_condition(SyntaxPtr condition);

// `tables` are those of WITH around it.
Result<JoinedSubquery> bind_subquery(BindContext& context, const Names& outer,
                                     const SubqueryCondition& condition,
                                     const CommonTables* tables);

struct BoundValue {
  SubqueryValue value;
  Type type;
};
// Binds a subquery of any of these kinds as a value; of IN and EXISTS that is a boolean.
Result<BoundValue> bind_value(BindContext& context, const Names& outer, const Syntax& subquery,
                              const CommonTables* tables);

}  // namespace penstock::sql
