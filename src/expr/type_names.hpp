// Types by SQL's names.
#pragma once
#include <optional>
#include <string_view>

#include "penstock/column.hpp"

namespace penstock::expr {

// Returns the type that a word names in any case: "int4" is INTEGER. A DECIMAL has no digits yet.
std::optional<Type> type_named(std::string_view name);
// Returns the type of a text with its digits: "DECIMAL(4, 2)". A DECIMAL without has 18 and 3.
std::optional<Type> type_of_text(std::string_view text);

}  // namespace penstock::expr
