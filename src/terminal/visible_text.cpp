#include <cstdio>

#include "base/unicode.hpp"
#include "terminal/format.hpp"

namespace penstock::terminal {

std::string visible_character(char32_t code, std::string_view bytes) {
  const bool turns_direction = (code >= 0x202A && code <= 0x202E) ||
                               (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
                               code == 0x200F;
  char escape[12];
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  if (code < 0x20 || code == 0x7F)
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(code));
  else if (turns_direction)
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
  else
    return code == 0xFFFD || (code >= 0x80 && code < 0xA0) ? "\xEF\xBF\xBD" : std::string(bytes);
  return escape;
}

std::string terminal_text(std::string_view text) {
  std::string shown;
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t start = place;
    const char32_t code = next_code_point(text, place);
    if (code == '\n' || code == '\t')
      shown += static_cast<char>(code);
    else
      shown += visible_character(code, text.substr(start, place - start));
  }
  return shown;
}

}  // namespace penstock::terminal
