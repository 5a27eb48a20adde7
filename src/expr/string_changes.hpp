// Functions that make another string of one: padded, repeated, reversed, translated, split.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::expr {

// Return `length` characters: the string, or its first ones, with `filling` on one side.
std::string padded_left(std::string_view string, std::int64_t length, std::string_view filling);
std::string padded_right(std::string_view string, std::int64_t length, std::string_view filling);
std::string repeated(std::string_view string, std::int64_t count);
// Reverses the characters that a reader sees: accents stay with their letters.
std::string reversed(std::string_view string);
// Puts the character of `to` at the same place for each character of `from`; without one there, the
// character is removed.
std::string translated(std::string_view string, std::string_view from, std::string_view to);
// Remove the characters that `set` has, at one end.
std::string_view trim_left(std::string_view string, std::string_view set);
std::string_view trim_right(std::string_view string, std::string_view set);
// Returns a part between separators, counted from 1, or from the end where it is negative. An empty
// separator stands between all characters.
std::string_view split_part(std::string_view string, std::string_view separator, std::int64_t part);
// Returns the number of the first character; `none` where there is no character.
std::int64_t first_code_point(std::string_view string, std::int64_t none);
std::string hexadecimal(std::string_view bytes);
bool is_code_point(std::int64_t number);
std::string character_of(std::int64_t code_point);

}  // namespace penstock::expr
