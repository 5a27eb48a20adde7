// Finds values of 128 bits that need no more than 64.
#pragma once
#include <functional>
#include <optional>

#include "expr/operation.hpp"

namespace penstock::expr {

// Returns the range of a column's counts, if it is known to be smaller than its type's.
using RangeOfColumn = std::function<std::optional<Range>(std::uint32_t column)>;

// Returns a node that computes the same values in 64 bits, as BIGINT or as DECIMAL(18, s); nothing
// if what it reads is not bounded so that 18 digits suffice. DECIMAL(7, 2) times INTEGER has 17,
// while plans of DuckDB state 25. A value beyond a range that was wrong is a fault.
Result<std::optional<NodeId>> narrowed(Builder& rows, NodeId wide, const RangeOfColumn& range_of);

}  // namespace penstock::expr
