// DuckDB's keywords, which it quotes in names of expressions and in types.
#pragma once
#include <string>
#include <string_view>

namespace penstock::column {

bool is_keyword(std::string_view name);  // ignores case
// Returns a field's name as types have it: in quotes where it is no plain word.
std::string quoted_name(const std::string& name);

}  // namespace penstock::column
