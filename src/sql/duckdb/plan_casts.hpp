// Casts of DuckDB's plans to types that are others here: JSON, which is text, and arrays of a fixed
// length, which are lists.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sql/parse/tree.hpp"

namespace penstock::sql {

// Returns what a cast is called that would give other values than DuckDB's; "" for others.
std::string refused_cast(const Tree& expression);
// Returns the length that the cast's lists must have; nullopt where any length will do.
std::optional<std::int64_t> length_to_check(const Tree& expression);

}  // namespace penstock::sql
