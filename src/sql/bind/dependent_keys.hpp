// Keys of GROUP BY that follow from other keys: constants, and expressions of columns that are
// keys.
#pragma once
#include "penstock/relation.hpp"

namespace penstock::sql {

// Groups by the other keys, and computes these from each group. Yields what the aggregate does, by
// one set of all keys; its rows are sorted by the other keys.
Result<RelationId> group_by_keys(RelationGraph& relations, RelationId input,
                                 const RelationAggregate& aggregate);

}  // namespace penstock::sql
