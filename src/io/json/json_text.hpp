// Values of JSON as text: without white space, with as few escapes and digits as they need.
#pragma once
#include <string>

#include "io/json/json_tokens.hpp"

namespace penstock::io {

// Appends a value as JSON, as a column of the type JSON has it.
void append_json(const JsonValue& value, std::string& to);
// Appends a value as a column of strings has it: a string's characters, otherwise a cast's text or
// JSON.
void append_as_string(const JsonValue& value, std::string& to);

}  // namespace penstock::io
