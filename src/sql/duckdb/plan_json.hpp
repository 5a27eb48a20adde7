// Names and types in DuckDB's plans, in the dialects of DuckDB 1.x and 2.x.
//
// A plan is what json_serialize_plan(statement, optimize := true) returns. Columns are positions,
// and casts are explicit.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "penstock/expression.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

// Returns the name of a function or aggregate: "sum", "~~".
std::string_view function_name(const Tree& expression);
// Returns the type; nullopt for a type that no expression computes.
std::optional<Type> type_of_json(const Tree& type);
std::string type_name(const Tree& type);  // "DECIMAL(12,2)", "LIST"
// Returns the type that the plan states of an expression; nullopt where it states none.
std::optional<Type> stated_type(const Tree& expression);
// Returns the value of a constant; nullopt for a type that no expression computes.
std::optional<Scalar> value_of_json(const Tree& value);
// Returns the place in the statement, in bytes; -1: unknown.
std::int64_t place_of(const Tree& expression);

// Returns whether a cast gives NULL where it fails.
bool is_try_cast(const Tree& expression);
bool is_cast(const Tree& expression);
// Returns the inputs of an expression of either dialect, in order.
std::vector<Tree> inputs_of(const Tree& expression);
// Returns what string_agg() puts between texts: its second input, or, in plans of DuckDB 1.5, a
// fact of the function. nullopt for a separator that is no constant, or NULL.
std::optional<std::string> separator_of(const Tree& call);

}  // namespace penstock::sql
