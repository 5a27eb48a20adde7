// UTF-8 and the room that characters take in a terminal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// The code point at `place`, which moves behind it; U+FFFD and one byte on for what is not UTF-8
// (RFC 3629).
char32_t next_code_point(std::string_view text, std::size_t& place);
// Bytes of the code point that `text` begins with; 0 where it begins with none.
std::uint32_t utf8_length(std::string_view text);
// Columns of a terminal: 0 for combining marks, 2 for the wide East Asian blocks and emoji (Unicode
// TR11).
std::uint32_t terminal_columns(char32_t code);

}  // namespace penstock
