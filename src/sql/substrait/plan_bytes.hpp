// Decodes Substrait's plans: protobuf's bytes become its JSON, which the reader takes in either
// form. Every length is checked against the bytes that there are, and the depth is bounded.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

// Tells a plan's bytes from a statement: its outermost fields fill them exactly.
bool is_plan_bytes(std::string_view bytes);
Result<nlohmann::json> decode_plan(std::string_view bytes);

// Protobuf's JSON has bytes in base 64.
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace penstock::sql
