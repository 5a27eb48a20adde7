#include "expr/string_changes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <utf8proc.h>

#include "base/unicode.hpp"
#include "expr/string_operations.hpp"

namespace penstock::expr {
namespace {

// The characters of a string, one after another. A byte that is not UTF-8 is one.
std::vector<std::string_view> all_characters(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size(); at += all.back().size())
    all.push_back(text.substr(at, character_bytes(text, at)));
  return all;
}

std::string filling_of(std::string_view filling, std::int64_t count) {
  const std::vector<std::string_view> characters = all_characters(filling);
  std::string text;
  for (std::int64_t i = 0; !characters.empty() && i < count; i++)
    text += characters[static_cast<std::size_t>(i) % characters.size()];
  return text;
}

bool is_in(std::string_view character, std::string_view set) {
  for (std::size_t at = 0; at < set.size(); at += character_bytes(set, at))
    if (set.substr(at, character_bytes(set, at)) == character) return true;
  return false;
}

// Returns the end of the characters from `at` on that a reader sees as one.
std::size_t end_of_grapheme(std::string_view text, std::size_t at) {
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const auto left = static_cast<utf8proc_int32_t>(next_code_point(text, next));
    if (next >= text.size()) return text.size();
    std::size_t after = next;
    const auto right = static_cast<utf8proc_int32_t>(next_code_point(text, after));
    if (utf8proc_grapheme_break_stateful(left, right, &state)) return next;
    at = next;
  }
  return text.size();
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns the parts of a string, which are its characters where there is no separator.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  if (separator.empty()) return all_characters(text);
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = text.find(separator)) != std::string_view::npos;
       text.remove_prefix(at + separator.size()))
    parts.push_back(text.substr(0, at));
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string padded_left(std::string_view string, std::int64_t length, std::string_view filling) {
  const std::string_view kept = left(string, std::max<std::int64_t>(length, 0));
  return filling_of(filling, length - character_count(kept)).append(kept);
}

std::string padded_right(std::string_view string, std::int64_t length, std::string_view filling) {
  const std::string_view kept = left(string, std::max<std::int64_t>(length, 0));
  return std::string(kept) + filling_of(filling, length - character_count(kept));
}

std::string repeated(std::string_view string, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; !string.empty() && i < count; i++) text += string;
  return text;
}

std::string reversed(std::string_view string) {
  if (is_ascii(string)) return {string.rbegin(), string.rend()};
  std::string text(string.size(), ' ');
  std::size_t place = string.size();
  for (std::size_t at = 0; at < string.size();) {
    const std::size_t end = end_of_grapheme(string, at);
    place -= end - at;
    string.copy(text.data() + place, end - at, at);
    at = end;
  }
  return text;
}

std::string translated(std::string_view string, std::string_view from, std::string_view to) {
  const std::vector<std::string_view> sources = all_characters(from), targets = all_characters(to);
  std::string text;
  for (const std::string_view character : all_characters(string)) {
    const auto found =
        static_cast<std::size_t>(std::ranges::find(sources, character) - sources.begin());
    if (found == sources.size())
      text += character;
    else if (found < targets.size())
      text += targets[found];
  }
  return text;
}

std::string_view trim_left(std::string_view string, std::string_view set) {
  while (!string.empty() && is_in(string.substr(0, character_bytes(string, 0)), set))
    string.remove_prefix(character_bytes(string, 0));
  return string;
}

std::string_view trim_right(std::string_view string, std::string_view set) {
  std::size_t end = 0;  // behind the last character that stays
  for (std::size_t at = 0; at < string.size();) {
    const std::size_t bytes = character_bytes(string, at);
    if (!is_in(string.substr(at, bytes), set)) end = at + bytes;
    at += bytes;
  }
  return string.substr(0, end);
}

std::string_view split_part(std::string_view string, std::string_view separator,
                            std::int64_t part) {
  const std::vector<std::string_view> parts = parts_of(string, separator);
  const auto count = static_cast<std::int64_t>(parts.size());
  if (part == 0 || part > count || part < -count) return {};
  return parts[static_cast<std::size_t>(part > 0 ? part - 1 : count + part)];
}

std::int64_t first_code_point(std::string_view string, std::int64_t none) {
  std::size_t at = 0;
  return string.empty() ? none : static_cast<std::int64_t>(next_code_point(string, at));
}

std::string hexadecimal(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) / 16];
    text += digits[static_cast<unsigned char>(byte) % 16];
  }
  return text;
}

bool is_code_point(std::int64_t number) {
  return number >= 0 && number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
}

std::string character_of(std::int64_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length)};
}

}  // namespace penstock::expr
