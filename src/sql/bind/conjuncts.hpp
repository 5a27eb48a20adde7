// Splits conditions into conjuncts, and finds the tables that each reads.
#pragma once
#include <optional>
#include <set>

#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

using Tables = std::set<std::size_t>;  // indices into Scope::tables

// Returns the tables that an expression reads columns of; nullopt if it reads anything else, such
// as an alias, or a column of another scope.
std::optional<Tables> tables_read(const Names& names, const Syntax& syntax);
// Tells whether a part was refused before it was known what it reads.
bool reads_anything(const Syntax& syntax);

// Returns the comparison of that name, "=" to ">=".
std::optional<Op> comparison_named(std::string_view name);
Op with_sides_swapped(Op comparison);

// An equality of two sides.
struct Equality {
  SyntaxPtr left, right;
};
std::optional<Equality> equality(const SyntaxPtr& condition);

// Returns the condition's conjuncts, followed by implied ones: equalities that every branch of an
// OR among them has.
std::vector<SyntaxPtr> conjuncts_with_common(const Names& names, const SyntaxPtr& condition);

}  // namespace penstock::sql
