// Finds what is not supported in a statement that the parser stops in, by its tokens.
#pragma once
#include <cstdint>

#include "sql/parse/lexer.hpp"
#include "sql/parse/problems.hpp"

namespace penstock::sql {

// Refuses what the statement has of DuckDB's grammar, and of functions, that is not supported, and
// returns an error of it; ok where the parser stopped for another reason.
Status find_unsupported_syntax(const Lexed& lexed, std::int64_t stopped_at, Problems& problems);

}  // namespace penstock::sql
