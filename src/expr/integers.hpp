// Integers of the host, which have 128 bits: the functions that operations and casts compute them
// by.
#pragma once
#include "expr/value.hpp"

namespace penstock::expr {

// Returns a value, or the fault that it is outside of its type.
EvaluatedScalar within(Type type, Int128 value);
// These return the result where 128 bits hold it, else the end of their range on its side.
Int128 bounded_product(Int128 a, Int128 b);
Int128 bounded_sum(Int128 a, Int128 b);
Int128 bounded_difference(Int128 a, Int128 b);
// high * 2^64 + low, where each may be a sum of halves.
Int128 joined_halves(Int128 high, Int128 low);
Int128 divide_half_away(Int128 value, Int128 unit);

EvaluatedScalar add_integers(Type type, Int128 a, Int128 b);
EvaluatedScalar subtract_integers(Type type, Int128 a, Int128 b);
EvaluatedScalar multiply_integers(Type type, Int128 a, Int128 b);
EvaluatedScalar divide_integers(Type type, Int128 a, Int128 b);
EvaluatedScalar modulo_of_integers(Type type, Int128 a, Int128 b);
EvaluatedScalar shift_left(Type type, Int128 a, Int128 b);
EvaluatedScalar shift_right(Type type, Int128 a, Int128 b);

}  // namespace penstock::expr
