// UTF-8, and the width of characters in a terminal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Returns the code point at `position` and moves it to the next one. For bytes that are not UTF-8
// (RFC 3629) it returns U+FFFD and moves by one byte.
char32_t next_code_point(std::string_view text, std::size_t& position);
// Returns the length in bytes of the first code point of `text`; 0 if it is not UTF-8.
std::uint32_t utf8_length(std::string_view text);
// Returns the columns that a character takes in a terminal: 0 for combining marks, 2 for wide East
// Asian blocks and emoji (Unicode TR11).
std::uint32_t terminal_columns(char32_t code);

}  // namespace penstock
