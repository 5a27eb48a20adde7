// Turns a comparison of a column with a constant of another type into one with a value of the
// column's own type.
#pragma once
#include <optional>

#include "penstock/expression.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Returns whether a cast maps smaller values to smaller ones, and different values to different
// ones. BIGINT as DOUBLE does so up to 2^53; column_comparison() takes no larger constants.
bool keeps_order(Type from, Type to);

// Returns the condition that holds if `column test constant` is TRUE; nullopt if that is not known,
// or holds for every value. The constant may be NULL.
std::optional<RowCondition> column_comparison(std::uint32_t column, Type type, RowTest test,
                                              const Scalar& constant);

}  // namespace penstock::plan
