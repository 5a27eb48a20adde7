// ASCII characters, as SQL's lexer and the readers of constants class them. <cctype> depends on the
// locale.
#pragma once
#include <string>
#include <string_view>

namespace penstock {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline std::string lower(std::string_view text) {
  std::string folded(text);
  for (char& c : folded)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return folded;
}

}  // namespace penstock
