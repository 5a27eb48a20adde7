#include "base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/unicode.hpp"

namespace penstock {

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (std::size_t position = 0; position < value.size();) {
    const std::size_t start = position;
    const char32_t code = next_code_point(value, position);
    if (code == '"' || code == '\\') {
      text += '\\';
      text += static_cast<char>(code);
    } else if (code == '\n')
      text += "\\n";
    else if (code == '\t')
      text += "\\t";
    else if (code == '\r')
      text += "\\r";
    else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
      text += escape;
    } else if (code == 0xFFFD)
      text += "\xEF\xBF\xBD";
    else
      text += value.substr(start, position - start);
  }
  text += '"';
}

std::string json_string(std::string_view value) {
  std::string text;
  append_json_string(text, value);
  return text;
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace penstock
