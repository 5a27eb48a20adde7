// Conditions taken apart: what must hold of which tables.
#pragma once
#include <optional>
#include <set>

#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

using Tables = std::set<std::size_t>;  // of a scope, by number

// The tables whose columns an expression reads; nullopt where it reads what is not a column of
// them: an alias, or another scope's.
std::optional<Tables> tables_read(const Names& names, const Syntax& syntax);

// An equality of two sides.
struct Equality {
  SyntaxPtr left, right;
};
std::optional<Equality> equality(const SyntaxPtr& condition);

// The condition's conjuncts, and behind them the equalities that stand in every branch of an OR
// among them: they follow from it.
std::vector<SyntaxPtr> conjuncts_with_common(const Names& names, const SyntaxPtr& condition);

}  // namespace penstock::sql
