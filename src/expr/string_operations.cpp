#include "expr/string_operations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <utf8proc.h>

#include "base/unicode.hpp"

namespace penstock::expr {
namespace {

// Whether the next eight bytes are characters of ASCII, which most strings need alone.
bool has_eight_of_ascii(std::string_view text, std::size_t at) {
  std::uint64_t bytes = 0;
  if (text.size() - at < sizeof bytes) return false;
  std::memcpy(&bytes, text.data() + at, sizeof bytes);
  return (bytes & 0x8080808080808080u) == 0;
}

// Moves `at` by so many characters, or to the end. Returns how many it has passed.
std::int64_t pass_characters(std::string_view text, std::size_t& at, std::int64_t most) {
  std::int64_t count = 0;
  while (at < text.size() && count < most) {
    const bool are_eight = most - count >= 8 && has_eight_of_ascii(text, at);
    at += are_eight ? 8 : character_bytes(text, at);
    count += are_eight ? 8 : 1;
  }
  return count;
}

// Returns the characters [first, last), counted from 0, as far as there are so many.
std::string_view characters(std::string_view text, std::int64_t first, std::int64_t last) {
  if (last <= first) return {};
  std::size_t begin = 0;
  pass_characters(text, begin, first);
  std::size_t end = begin;
  pass_characters(text, end, last - first);
  return text.substr(begin, end - begin);
}

// A simple case mapping of Unicode: one character to one, as DuckDB has it ("ß" stays). The table
// is that of ASCII, which most strings need alone.
struct CaseMapping {
  utf8proc_int32_t (*map)(utf8proc_int32_t);
  std::array<char, 128> ascii{};

  explicit CaseMapping(utf8proc_int32_t (*mapping)(utf8proc_int32_t)) : map(mapping) {
    for (std::size_t i = 0; i < ascii.size(); i++)
      ascii[i] = static_cast<char>(map(static_cast<utf8proc_int32_t>(i)));
  }
};

// Bytes that are not UTF-8 are kept.
std::string map_case(std::string_view string, const CaseMapping& mapping) {
  std::string result;
  result.reserve(string.size());
  for (std::size_t at = 0; at < string.size();) {
    const auto byte = static_cast<unsigned char>(string[at]);
    if (character_bytes(string, at) == 1) {
      result += byte < 0x80 ? mapping.ascii[byte] : string[at];
      at++;
      continue;
    }
    std::array<utf8proc_uint8_t, 4> mapped{};
    const auto code = static_cast<utf8proc_int32_t>(next_code_point(string, at));
    const utf8proc_ssize_t length = utf8proc_encode_char(mapping.map(code), mapped.data());
    result.append(reinterpret_cast<const char*>(mapped.data()), static_cast<std::size_t>(length));
  }
  return result;
}

// Tells whether the character at `at` is in Unicode's category Zs, which is what DuckDB trims.
bool is_space_at(std::string_view string, std::size_t at) {
  if (character_bytes(string, at) == 1) return string[at] == ' ';
  return utf8proc_category(static_cast<utf8proc_int32_t>(next_code_point(string, at))) ==
         UTF8PROC_CATEGORY_ZS;
}

}  // namespace

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
  return is_ascii ? 1 : std::max<std::size_t>(1, utf8_length(text.substr(at)));
}

std::int64_t character_count(std::string_view text) {
  std::size_t at = 0;
  return pass_characters(text, at, INT64_MAX);
}

// A range that begins before the first character loses that much of its length, as in DuckDB.
std::string_view substring(std::string_view text, std::int64_t from, std::int64_t length) {
  // A count that is not needed is long enough.
  const std::int64_t count = from < 0 ? character_count(text) : INT64_MAX;
  std::int64_t first = from > 0 ? from - 1 : from < 0 ? count + from : -1, last = 0;
  if (__builtin_add_overflow(first, length, &last)) last = length < 0 ? INT64_MIN : INT64_MAX;
  if (length < 0) std::swap(first, last);
  return characters(text, std::max<std::int64_t>(first, 0),
                    std::clamp<std::int64_t>(last, 0, count));
}

std::string_view left(std::string_view text, std::int64_t length) {
  if (length >= 0) return characters(text, 0, length);
  const std::int64_t count = character_count(text);
  return characters(text, 0, count + std::max(length, -count));
}
std::string_view right(std::string_view text, std::int64_t length) {
  const std::int64_t count = character_count(text);
  return characters(
      text,
      length >= 0 ? count - std::min(length, count) : std::min(-std::max(length, -count), count),
      count);
}

std::string to_lower(std::string_view string) {
  static const CaseMapping mapping(utf8proc_tolower);
  return map_case(string, mapping);
}
std::string to_upper(std::string_view string) {
  static const CaseMapping mapping(utf8proc_toupper);
  return map_case(string, mapping);
}

std::string_view trim_left(std::string_view string) {
  while (!string.empty() && is_space_at(string, 0))
    string.remove_prefix(character_bytes(string, 0));
  return string;
}
std::string_view trim_right(std::string_view string) {
  const auto is_continuation = [&](std::size_t at) {
    return (static_cast<unsigned char>(string[at]) & 0xC0u) == 0x80u;
  };
  while (!string.empty()) {
    std::size_t last = string.size() - 1;
    while (last > 0 && string.size() - last < 4 && is_continuation(last)) last--;
    const bool is_whole = last + character_bytes(string, last) == string.size();
    if (!is_whole || !is_space_at(string, last)) return string;
    string = string.substr(0, last);
  }
  return string;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  if (what.empty()) return std::string(text);
  std::string result;
  for (std::size_t at; (at = text.find(what)) != std::string_view::npos;
       text.remove_prefix(at + what.size()))
    result.append(text.substr(0, at)).append(with);
  return result.append(text);
}

std::int64_t position_of(std::string_view string, std::string_view what) {
  const std::size_t at = string.find(what);
  return at == std::string_view::npos ? 0 : character_count(string.substr(0, at)) + 1;
}

// Returns the characters of a LIKE pattern from `at` on that stand for themselves, "" where they
// begin within a character.
static std::string_view literal_at(std::string_view pattern, std::size_t at,
                                   std::string_view escape) {
  std::size_t end = at;
  while (end < pattern.size() && pattern[end] != '%' && pattern[end] != '_' &&
         (escape.empty() || pattern[end] != escape[0]))
    end++;
  const bool is_within = end > at && (static_cast<unsigned char>(pattern[at]) & 0xC0u) == 0x80u;
  return is_within ? std::string_view() : pattern.substr(at, end - at);
}

// Backtracks to the last % alone: where what follows it does not fit, it takes more characters, up
// to the next place of the literal after it.
bool matches_like(std::string_view text, std::string_view pattern, std::string_view escape) {
  std::size_t at = 0, p = 0, again_at = 0, again_p = std::string_view::npos;
  std::string_view literal;  // after the last %
  for (;;) {
    const bool escaped =
        !escape.empty() && p < pattern.size() && pattern[p] == escape[0] && p + 1 < pattern.size();
    if (p < pattern.size() && !escaped && pattern[p] == '%') {
      again_p = ++p;
      if (p == pattern.size()) return true;
      literal = literal_at(pattern, p, escape);
      at = again_at = text.find(literal, at);
      if (at == std::string_view::npos) return false;
      continue;
    }
    if (at == text.size() && p == pattern.size()) return true;
    if (p < pattern.size() && at < text.size()) {
      if (!escaped && pattern[p] == '_') {
        at += character_bytes(text, at);
        p++;
        continue;
      }
      if (text[at] == pattern[p + escaped]) {
        at++;
        p += 1 + escaped;
        continue;
      }
    }
    if (again_p == std::string_view::npos || again_at >= text.size()) return false;
    at = again_at = text.find(literal, again_at + character_bytes(text, again_at));
    if (at == std::string_view::npos) return false;
    p = again_p;
  }
}

}  // namespace penstock::expr
