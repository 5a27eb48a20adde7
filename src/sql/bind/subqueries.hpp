// [NOT] EXISTS (SELECT ...) and x [NOT] IN (SELECT ...) as the right side of a semi or anti join:
// what in its WHERE is equal to a column of the statement around it becomes a key.
#pragma once
#include "sql/bind/join_tables.hpp"

namespace penstock::sql {

// A conjunct that is one, NOTs taken away.
struct SubqueryCondition {
  SyntaxPtr subquery;
  bool negated = false;
};
std::optional<SubqueryCondition> subquery_condition(SyntaxPtr condition);

struct BoundSubquery {
  JoinKind kind = JoinKind::semi;
  StepId step = 0;                    // its columns are the keys, in order
  std::vector<SyntaxPtr> outer_keys;  // over the scope around it
  std::int64_t offset = 0;
};
Result<BoundSubquery> bind_subquery(const Names& outer, const SubqueryCondition& condition,
                                    Plan& plan, const TableOpener& open);

}  // namespace penstock::sql
