// The lists of rows that make the table of functions of lists, structs and maps, and what their
// functions share.
#pragma once
#include <vector>

#include "expr/nested_functions.hpp"
#include "expr/nested_values.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {

std::vector<NestedFunction> making_rows();      // lists, structs and maps of values
std::vector<NestedFunction> list_rows();        // elements and parts of lists
std::vector<NestedFunction> list_order_rows();  // sorted, distinct and common elements
std::vector<NestedFunction> field_rows();       // fields of structs, and values of maps
std::vector<NestedFunction> series_rows();      // lists of a text's parts, or of a series
std::vector<NestedFunction> list_aggregate_rows();

namespace nested_rows {

using string_rows::Inputs, string_rows::truth, string_rows::integer;
using Signature = std::optional<NestedSignature>;

constexpr Type integer_type{Kind::int64}, text_type{Kind::string}, truth_type{Kind::boolean};

inline Scalar size_of(Type type, std::size_t value) {
  return Scalar::of(type, static_cast<Int128>(value));
}
inline bool has_lists(const NestedCall& call, std::size_t count) {
  for (std::size_t i = 0; i < count; i++)
    if (i >= call.types.size() || !is_list(call.types[i])) return false;
  return true;
}
inline Type element(Type list) { return list.nested->types[0]; }
// Returns the type that both meet in. Nothing, if there is none.
std::optional<Type> meeting(Type a, Type b);
// Two lists of one type, or of types that meet.
std::optional<Type> common_list(const NestedCall& call, std::size_t count);

}  // namespace nested_rows
}  // namespace penstock::expr
