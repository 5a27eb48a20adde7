// Strings and numbers as JSON (RFC 8259) has them.
#pragma once
#include <string>
#include <string_view>

namespace penstock {

// With its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& text, std::string_view value);
std::string json_string(std::string_view value);
// The shortest text that reads back to the same number; null for what JSON has no number for.
std::string json_number(double value);

}  // namespace penstock
