// The promotion table: which type two inputs of an operation meet in.
#pragma once
#include <optional>

#include "penstock/column.hpp"

namespace penstock::expr {

enum class Meeting : unsigned char { arithmetic, comparison };   // comparison: also select, coalesce, least, greatest

// Kind::int128 where DuckDB says HUGEINT; a decimal may come back with more than 18 digits: the caller decides what to do with
// either. Nothing where the types do not meet.
std::optional<Type> meet(Type a, Type b, Meeting meeting);

// Digits before the point that hold every value of an integer type.
int integer_digits(Kind kind);
// Whether values of one type can be cast to the other at all.
bool is_castable(Type from, Type to);

}  // namespace penstock::expr
