// The ASCII classes that SQL's lexer and the readers of constants share. <cctype> depends on the
// locale.
#pragma once

namespace penstock::sql {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace penstock::sql
