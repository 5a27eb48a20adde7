// Reads BLOBs and UUIDs that are written as text, as DuckDB does.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace penstock::expr {

// "\x00ab": bytes by two hexadecimal digits each, or ASCII characters. nullopt for anything else.
std::optional<std::string> parse_blob(std::string_view text);
// 32 hexadecimal digits, with hyphens between them and in braces or without: 16 bytes.
std::optional<std::string> parse_uuid(std::string_view text);

}  // namespace penstock::expr
