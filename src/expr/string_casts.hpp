// Casts of strings to other types, and of these to strings. The host computes them once per string
// of a dictionary, as it does functions of strings: whether a string can be cast, and to what.
#pragma once
#include <memory>

#include "penstock/expression.hpp"

namespace penstock::expr {

// Returns whether kernels compute with the type of such a cast.
bool is_castable_from_string(Type type);
// Tells whether a string is a value of the type.
std::shared_ptr<const CustomFunction> string_fits(Type type);
// Returns a string's value; 0 of a string that has none.
std::shared_ptr<const CustomFunction> string_as(Type type);
// Returns a value of the type as results print it. The interpreter calls it row by row.
std::shared_ptr<const CustomFunction> string_from(Type type);

}  // namespace penstock::expr
