// The text of DuckDB's plans.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

// Numbers that JSON has no word for, such as NaN, become texts.
Result<nlohmann::json> parse_plan(std::string_view text);

}  // namespace penstock::sql
