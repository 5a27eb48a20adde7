// Conditions of joins that are made of other syntax.
#pragma once
#include "sql/bind/scope.hpp"

namespace penstock::sql {

// Returns USING's equalities: each column equals the first of that name on the left side.
std::vector<SyntaxPtr> using_conditions(const Scope& scope, std::size_t table,
                                        const FromTable& from);
// Returns the key, or NULL where the conditions do not hold.
SyntaxPtr key_where(const SyntaxPtr& key, const std::vector<SyntaxPtr>& conditions);
// Tells whether IN or EXISTS of a subquery is one of the conditions.
bool has_subquery(const SyntaxPtr& where);

}  // namespace penstock::sql
