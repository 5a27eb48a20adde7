// Strings and numbers in JSON (RFC 8259).
#pragma once
#include <string>
#include <string_view>

namespace penstock {

// Appends a string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& text, std::string_view value);
std::string json_string(std::string_view value);
// Returns the shortest text that reads back to the same number; null for NaN and infinities.
std::string json_number(double value);

}  // namespace penstock
