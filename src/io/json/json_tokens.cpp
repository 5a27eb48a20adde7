#include "io/json/json_tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/unicode.hpp"

namespace penstock::io {
namespace {

// A recursion of this depth fits every thread's stack. DuckDB's limit is the same.
constexpr unsigned max_depth = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Eight bytes at once: which of them are below 32, above 127, a quote or a backslash.
std::uint64_t special_bytes(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  const std::uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
  return ((word - ones * 32) | (quote - ones) | (backslash - ones) | word) & high;
}

unsigned hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | ' ');
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 16;
}

void append_utf8(unsigned code, std::string& to) {
  const auto last = [](unsigned bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += {static_cast<char>(0xc0 | code >> 6), last(code)};
  } else if (code < 0x10000) {
    to += {static_cast<char>(0xe0 | code >> 12), last(code >> 6), last(code)};
  } else {
    to += {static_cast<char>(0xf0 | code >> 18), last(code >> 12), last(code >> 6), last(code)};
  }
}

unsigned code_unit(std::string_view digits) {
  unsigned code = 0;
  for (const char c : digits.substr(0, 4)) code = code * 16 + hex_digit(c);
  return code;
}

}  // namespace

bool JsonTokens::fail(const char* reason) {
  if (fault_.reason == nullptr) fault_ = {reason, static_cast<std::size_t>(at_ - begin_)};
  return false;
}

void JsonTokens::skip_space() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) at_++;
}

bool JsonTokens::is_at(char c) {
  skip_space();
  return at_ < end_ && *at_ == c;
}

bool JsonTokens::is_at_end() {
  skip_space();
  return at_ == end_ || fail("unexpected content after the value");
}

bool JsonTokens::read_value(JsonValue& value, unsigned depth) {
  skip_space();
  if (at_ == end_) return fail("unexpected end");
  const char* const begin = at_;
  switch (*at_) {
    case '"': return read_string(value);
    case 't': return read_word(value, "true", JsonKind::boolean);
    case 'f': return read_word(value, "false", JsonKind::boolean);
    case '{':
    case '[':
      value = {*at_ == '{' ? JsonKind::object : JsonKind::array, {}};
      if (!read_nested(*at_ == '{', depth)) return false;
      value.text = {begin, static_cast<std::size_t>(at_ - begin)};
      return true;
    case 'n':
      if (end_ - at_ >= 2 && at_[1] == 'u') return read_word(value, "null", JsonKind::null);
      [[fallthrough]];
    default: return read_number(value);
  }
}

// Returns whether the object or array goes on; false at its end, which it takes, or at a fault.
bool JsonTokens::is_at_next(char close) {
  skip_space();
  const bool is_first = std::exchange(is_first_, false);
  if (at_ < end_ && *at_ == close) return at_++, false;
  if (is_first) return true;
  if (at_ == end_ || *at_ != ',')
    return fail(at_ == end_ ? "unexpected end" : "unexpected character");
  at_++;
  skip_space();
  if (at_ < end_ && *at_ == close) return at_++, false;
  return true;
}

bool JsonTokens::next_member(JsonValue& key, JsonValue& value) {
  return is_at_next('}') && read_key(key) && read_value(value, 1);
}

bool JsonTokens::next_element(JsonValue& value) { return is_at_next(']') && read_value(value, 1); }

bool JsonTokens::read_nested(bool is_object, unsigned depth) {
  if (depth >= max_depth) return fail("values nest deeper than 128 levels");
  enter();
  JsonValue key, value;
  while (is_at_next(is_object ? '}' : ']')) {
    if (is_object && !read_key(key)) return false;
    if (!read_value(value, depth + 1)) return false;
  }
  return fault_.reason == nullptr;
}

bool JsonTokens::read_key(JsonValue& key) {
  skip_space();
  if (at_ == end_) return fail("unexpected end");
  if (*at_ != '"') return fail("unexpected character");
  if (!read_string(key)) return false;
  if (!is_at(':')) return fail(at_ == end_ ? "unexpected end" : "unexpected character");
  at_++;
  return true;
}

bool JsonTokens::read_string(JsonValue& value) {
  const char* const begin = ++at_;
  value = {JsonKind::string, {}};
  for (;;) {
    for (std::uint64_t word = 0, special = 0; end_ - at_ >= 8 && special == 0;) {
      std::memcpy(&word, at_, 8);
      special = special_bytes(word);
      at_ += special == 0 ? 8 : std::countr_zero(special) / 8;  // 8 bits a byte, the first lowest
    }
    if (at_ == end_) return fail("a string without its closing quote");
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') break;
    if (c < 32) return fail("a control character in a string");
    if (c == '\\') {
      value.has_escapes = true;
      if (!read_escape()) return false;
    } else {
      const std::size_t rest = static_cast<std::size_t>(end_ - at_);
      const std::uint32_t bytes = c < 128 ? 1 : utf8_length({at_, rest});
      if (bytes == 0)
        return fail("text that is not UTF-8 (to convert it: iconv -f LATIN1 -t UTF-8)");
      at_ += bytes;
    }
  }
  value.text = {begin, static_cast<std::size_t>(at_ - begin)};
  at_++;
  return true;
}

bool JsonTokens::read_escape() {
  if (end_ - at_ < 2) return at_ = end_, fail("a string without its closing quote");
  constexpr std::string_view simple = "\"\\/bfnrt";
  if (simple.find(at_[1]) != std::string_view::npos) return at_ += 2, true;
  if (at_[1] != 'u') return fail("an unknown escape in a string");
  unsigned code = 0, low = 0;
  if (!read_hex(code)) return false;
  if (code < 0xd800 || code > 0xdfff) return true;
  if (code > 0xdbff || end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u')
    return fail("half a surrogate pair in a string");
  if (!read_hex(low)) return false;
  return (low >= 0xdc00 && low <= 0xdfff) || fail("half a surrogate pair in a string");
}

bool JsonTokens::read_hex(unsigned& code) {
  at_ += 2;
  for (int i = 0; i < 4; i++, at_++) {
    if (at_ == end_ || hex_digit(*at_) == 16) return fail("an incomplete \\u in a string");
    code = code * 16 + hex_digit(*at_);
  }
  return true;
}

bool JsonTokens::read_digits() {
  if (at_ == end_ || !is_digit(*at_)) return fail("a number without a digit");
  while (at_ < end_ && is_digit(*at_)) at_++;
  return true;
}

bool JsonTokens::read_number(JsonValue& value) {
  const char* const begin = at_;
  value = {JsonKind::integer, {}};
  at_ += *at_ == '-';
  if (take_any_case("infinity") || take_any_case("inf") || take_any_case("nan")) {
    value.kind = JsonKind::real;
  } else {
    if (at_ == end_ || !is_digit(*at_)) return fail("unexpected character");
    const bool is_zero = *at_ == '0';
    const char* const digits = at_;
    if (!read_digits()) return false;
    if (is_zero && at_ - digits > 1) return at_ = digits, fail("a number with a leading zero");
    if (at_ < end_ && *at_ == '.') {
      at_++, value.kind = JsonKind::real;
      if (!read_digits()) return false;
    }
    if (at_ < end_ && (*at_ | ' ') == 'e') {
      at_++, value.kind = JsonKind::real;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) at_++;
      if (!read_digits()) return false;
    }
  }
  value.text = {begin, static_cast<std::size_t>(at_ - begin)};
  return true;
}

bool JsonTokens::take_any_case(std::string_view lower_word) {
  if (static_cast<std::size_t>(end_ - at_) < lower_word.size()) return false;
  for (std::size_t i = 0; i < lower_word.size(); i++)
    if ((at_[i] | ' ') != lower_word[i]) return false;
  at_ += lower_word.size();
  return true;
}

bool JsonTokens::read_word(JsonValue& value, std::string_view word, JsonKind kind) {
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word))
    return fail("unexpected character");
  value = {kind, {at_, word.size()}};
  at_ += word.size();
  return true;
}

void append_decoded(const JsonValue& string, std::string& to) {
  std::string_view text = string.text;
  if (!string.has_escapes) {
    to += text;
    return;
  }
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    to += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    constexpr std::string_view names = "bfnrt", meanings = "\b\f\n\r\t";
    if (text[1] != 'u') {
      const std::size_t name = names.find(text[1]);
      to += name == std::string_view::npos ? text[1] : meanings[name];
      text.remove_prefix(2);
      continue;
    }
    unsigned code = code_unit(text.substr(2));
    text.remove_prefix(6);
    if (code >= 0xd800 && code <= 0xdbff) {
      code = 0x10000 + ((code & 0x3ff) << 10 | (code_unit(text.substr(2)) & 0x3ff));
      text.remove_prefix(6);
    }
    append_utf8(code, to);
  }
}

}  // namespace penstock::io
