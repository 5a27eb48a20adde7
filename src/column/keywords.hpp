// DuckDB's keywords, which it quotes in names of expressions and in types.
#pragma once
#include <string_view>

namespace penstock::column {

bool is_keyword(std::string_view name);  // ignores case

}  // namespace penstock::column
