// SQL's functions of strings, on bytes that should be UTF-8. A character is a code point. A byte
// that is not UTF-8 counts as one and is kept.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::expr {

// Returns the bytes of the character at `at`; 1 where none begins.
std::size_t character_bytes(std::string_view text, std::size_t at);
std::int64_t character_count(std::string_view string);
// Returns at most `length` characters from `from` on, which counts from 1, or from the end where it
// is negative. A negative length takes the characters before it.
std::string_view substring(std::string_view string, std::int64_t from, std::int64_t length);
// Return the first or last `length` characters; of a negative length, all but so many at the other
// end.
std::string_view left(std::string_view string, std::int64_t length);
std::string_view right(std::string_view string, std::int64_t length);
std::string to_lower(std::string_view string);
std::string to_upper(std::string_view string);
// Remove the space separators (Unicode's category Zs) at one end. Tabs and line ends stay.
std::string_view trim_left(std::string_view string);
std::string_view trim_right(std::string_view string);
std::string replaced(std::string_view string, std::string_view what, std::string_view with);
// Returns where `what` occurs first, counted from 1 in characters; 0 if it does not.
std::int64_t position_of(std::string_view string, std::string_view what);

// SQL's LIKE: % stands for any characters, _ for one; the character after `escape` for itself (""
// escapes nothing).
bool matches_like(std::string_view string, std::string_view pattern, std::string_view escape = {});

}  // namespace penstock::expr
