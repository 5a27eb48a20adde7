// What to write in place of what is refused:
//
//     LIKE is not supported; strings are carried, and compared with =, <>, IN and IS NULL
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace penstock::sql {

// "`what` is not supported", and what is, where the table of suggestions.cpp knows.
std::string not_supported(std::string_view what);
// The same for a function, by its kind: a name near to a known one is answered with that.
std::string function_not_supported(std::string_view name, std::span<const std::string> known);

// "FROM" for "form": the word of SELECT's grammar that a misspelt one is nearest to; "" for none.
std::string keyword_near(std::string_view word);

struct Lexed;
struct Token;
// The first words of DuckDB's grammar that PostgreSQL's has not, at or before the byte where its
// parser stopped: the place, and what they are; nullptr where there are none.
struct UnsupportedSyntax {
  const Token* token = nullptr;
  std::string what;
};
UnsupportedSyntax find_unsupported_syntax(const Lexed& lexed, std::int64_t stopped_at);

}  // namespace penstock::sql
