// Division of decimals as planners other than DuckDB have it: its result is a decimal.
#pragma once
#include "penstock/expression.hpp"

namespace penstock::sql {

// Returns the quotient, cut to the digits of a decimal type. A divisor of zero is a fault. The host
// computes it, in 128 bits.
Result<NodeId> decimal_quotient(Builder& builder, NodeId dividend, NodeId divisor, Type type);

}  // namespace penstock::sql
