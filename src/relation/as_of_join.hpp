// ASOF joins: the nearest partner of each left row.
#pragma once
#include <cstdint>
#include <vector>

#include "penstock/relation.hpp"

namespace penstock::relation {

// Among right rows of equal keys, `left comparison right` chooses those at or before the left row
// (>=, >), or at or behind it (<=, <). The nearest of them is the partner, and NULL has none.
struct AsOfJoin {
  JoinType type = JoinType::inner;  // or left
  std::vector<RelationKey> keys;
  std::uint32_t left = 0, right = 0;  // columns, of one type
  Op comparison = Op::greater_equal;
};

// Yields the left columns, then the right ones. Among equally near partners any may be taken.
Result<RelationId> as_of_join(RelationGraph& relations, RelationId left, RelationId right,
                              const AsOfJoin& join);

}  // namespace penstock::relation
