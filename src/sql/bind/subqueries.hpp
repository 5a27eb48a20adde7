// Binds [NOT] EXISTS (SELECT ...) and x [NOT] IN (SELECT ...) as the right side of a semi or anti
// join. An equality in its WHERE with a column of the outer statement becomes a key.
#pragma once
#include "sql/bind/join_tables.hpp"

namespace penstock::sql {

// A conjunct that is a subquery, without its NOTs.
struct SubqueryCondition {
  SyntaxPtr subquery;
  bool negated = false;
};
std::optional<SubqueryCondition> subquery_condition(SyntaxPtr condition);

struct BoundSubquery {
  JoinType type = JoinType::semi;
  RelationId rows = 0;                // its columns are the keys, in order
  std::vector<SyntaxPtr> outer_keys;  // over the outer scope
  std::int64_t offset = 0;
};
// `tables` are those of WITH around it.
Result<BoundSubquery> bind_subquery(BindContext& context, const Names& outer,
                                    const SubqueryCondition& condition, const CommonTables* tables);

}  // namespace penstock::sql
