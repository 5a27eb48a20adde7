// Suggestions for what is refused:
//
//     GROUP BY ALL is not supported; list the columns, or their numbers: GROUP BY 1, 2
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace penstock::sql {

// Returns "`what` is not supported", with what to write instead where suggestions.cpp has a row.
std::string not_supported(std::string_view what);
// Returns the same for a function, with the nearest known name or the functions of its kind.
std::string function_not_supported(std::string_view name, std::span<const std::string> known);

// Returns the keyword that a misspelt word is nearest to ("FROM" for "form"); "" for none.
std::string keyword_near(std::string_view word);

struct Lexed;
struct Token;
// Syntax of DuckDB's grammar that PostgreSQL's lacks, at or before the byte where its parser
// stopped: its first token, and its name. The token is nullptr where there is none.
struct UnsupportedSyntax {
  const Token* token = nullptr;
  std::string what;
};
UnsupportedSyntax find_unsupported_syntax(const Lexed& lexed, std::int64_t stopped_at);

}  // namespace penstock::sql
