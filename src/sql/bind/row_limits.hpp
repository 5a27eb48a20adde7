// Clauses that keep some of the rows: LIMIT, OFFSET, DISTINCT and DISTINCT ON.
#pragma once
#include <vector>

#include "sql/bind/bind_context.hpp"

namespace penstock::sql {

Result<RelationId> with_limit(BindContext& context, const Select& select, RelationId rows);
// Keeps each row once, in the order of its values.
Result<RelationId> distinct_in_order(RelationGraph& relations, RelationId rows);
// Keeps the first row of each kind of values in the columns, by an order.
Result<RelationId> first_of_each(RelationGraph& relations, RelationId rows,
                                 std::vector<std::uint32_t> columns, std::vector<SortKey> order);

}  // namespace penstock::sql
