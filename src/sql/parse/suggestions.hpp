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

// Tells whether a function is one of DuckDB's that is known to be missing here.
bool is_unsupported_function(std::string_view name);
bool is_unsupported_aggregate(std::string_view name);

// Returns "an INTEGER", "a DATE". UBIGINT and the like are said with a consonant.
std::string with_article(std::string_view type);

}  // namespace penstock::sql
