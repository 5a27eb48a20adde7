// Leaves out columns and calls that nothing reads. Front ends read whole tables; rows that are
// shared, numbered or brought to the host should have no more columns than their readers need.
#pragma once
#include "penstock/relation.hpp"

namespace penstock::relation {

struct Pruned {
  RelationGraph relations;
  RelationId result = 0;
};
// Returns the relations below `result`, which keeps its columns.
Result<Pruned> prune(const RelationGraph& relations, RelationId result);

}  // namespace penstock::relation
