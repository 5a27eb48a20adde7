// Statements that give the same rows if rows of FROM are repeated or not.
#pragma once
#include <optional>

#include "sql/bind/conjuncts.hpp"

namespace penstock::sql {

// Returns the tables that the items, groups and order of such a SELECT read: DISTINCT, or
// aggregates that take a value once. nullopt of any other one, and where it is not known what is
// read.
std::optional<Tables> tables_read_once(const Names& names, const Select& select);

}  // namespace penstock::sql
