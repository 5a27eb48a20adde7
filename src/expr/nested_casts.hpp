// Casts of lists, structs and maps, to others and to and from text.
#pragma once
#include <optional>
#include <string_view>

#include "penstock/expression.hpp"

namespace penstock::expr {

// Returns whether DuckDB has the cast, and we do.
bool is_nested_cast(Type from, Type to);
// Returns whether parse_value() reads texts of the type. It does of lists, structs and maps.
bool is_readable_as_text(Type type);
// Casts a value. A part that cannot be cast gives nothing, or NULL in its place if `is_try`.
std::optional<Scalar> cast_nested_value(const Scalar& value, Type to, bool is_try);
// Reads a text as a value of the type: "[1, NULL]", "{'a': 1}", "(1, x)", "{k=v}", or what a text
// of any other type is.
std::optional<Scalar> parse_value(Type type, std::string_view text, bool is_try = false);

// Casts a node, where one of the types is a list, a struct or a map. A value that cannot be cast is
// a fault, or NULL if `is_try`.
Result<NodeId> nested_cast(Builder& builder, NodeId input, Type to, bool is_try);
// Casts between any two types that there is a cast of.
Result<NodeId> cast_value_of_any(Builder& builder, NodeId input, Type to);

}  // namespace penstock::expr
