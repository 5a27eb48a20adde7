// Table functions in FROM: read_csv('f', delim = ';'). PostgreSQL's grammar has neither their lists
// nor their maps, so that they are read from tokens.
#pragma once
#include "penstock/table_reference.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::sql {

// Tells whether the token is the name of one, before its parenthesis.
bool is_table_function(const Lexed& lexed, std::size_t at);
Result<TableReference> read_table_function(const Lexed& lexed, std::size_t at);
// Returns what there is, for a message: "the table function range is not supported; ...".
std::string table_function_not_supported(std::string_view name);

}  // namespace penstock::sql
