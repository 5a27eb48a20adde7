// DuckDB's keywords, which it quotes in the names that it makes of expressions.
#pragma once
#include <string_view>

namespace penstock::sql {

bool is_keyword(std::string_view name);  // ignores case

}  // namespace penstock::sql
