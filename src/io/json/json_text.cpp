#include "io/json/json_text.hpp"

#include <charconv>
#include <cmath>

namespace penstock::io {
namespace {

// The shortest digits that are read as the same double, and the power of ten of the first one.
struct ShortestDigits {
  bool is_negative = false;
  std::string digits;
  int exponent = 0;
};

ShortestDigits shortest_digits(double value) {
  char text[40];
  const auto written =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  std::string_view rest(text, static_cast<std::size_t>(written.ptr - text));
  ShortestDigits out;
  out.is_negative = rest.starts_with('-');
  rest.remove_prefix(out.is_negative);
  const std::size_t e = rest.find('e');
  for (const char c : rest.substr(0, e))
    if (c != '.') out.digits += c;
  const std::string_view exponent = rest.substr(e + (rest[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.exponent);
  return out;
}

// The style of a double: the powers of ten without an exponent, and the form of an exponent.
struct RealStyle {
  int first_plain, last_plain;
  std::string_view plus;
  std::size_t exponent_digits;
};
constexpr RealStyle json_style{-6, 20, "", 1}, cast_style{-4, 15, "+", 2};

std::string plain_digits(const ShortestDigits& value) {
  if (value.exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-value.exponent - 1), '0') + value.digits;
  std::string text = value.digits;
  const auto whole = static_cast<std::size_t>(value.exponent) + 1;
  if (text.size() < whole) text.append(whole - text.size(), '0');
  text.insert(whole, ".");
  return text.ends_with('.') ? text + "0" : text;
}

std::string scientific_digits(const ShortestDigits& value, const RealStyle& style) {
  std::string text = value.digits.substr(0, 1);
  if (value.digits.size() > 1) text += "." + value.digits.substr(1);
  std::string exponent = std::to_string(std::abs(value.exponent));
  if (exponent.size() < style.exponent_digits)
    exponent.insert(0, style.exponent_digits - exponent.size(), '0');
  return text + "e" + (value.exponent < 0 ? "-" : std::string(style.plus)) + exponent;
}

// Numbers that a double cannot hold, NaN and Infinity stay as they are.
void append_real(std::string_view text, const RealStyle& style, std::string& to) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value)) {
    to += text;
    return;
  }
  const ShortestDigits digits = shortest_digits(value);
  const bool is_plain = digits.exponent >= style.first_plain && digits.exponent <= style.last_plain;
  to += (digits.is_negative ? "-" : "") +
        (is_plain ? plain_digits(digits) : scientific_digits(digits, style));
}

void append_integer(std::string_view text, std::string& to) { to += text == "-0" ? "0" : text; }

void append_quoted(const JsonValue& string, std::string& to) {
  if (!string.has_escapes) {
    to += '"';
    to += string.text;
    to += '"';
    return;
  }
  std::string text;
  append_decoded(string, text);
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t", names = "\"\\bfnrt",
                             hex = "0123456789ABCDEF";
  to += '"';
  for (const char c : text) {
    const std::size_t name = escaped.find(c);
    if (name != std::string_view::npos)
      (to += '\\') += names[name];
    else if (static_cast<unsigned char>(c) < 32)
      ((to += "\\u00") += hex[static_cast<unsigned char>(c) >> 4]) += hex[c & 15];
    else
      to += c;
  }
  to += '"';
}

void append_nested(const JsonValue& value, std::string& to) {
  const bool is_object = value.kind == JsonKind::object;
  JsonTokens tokens(value.text);
  tokens.enter();
  to += is_object ? '{' : '[';
  JsonValue key, element;
  for (bool is_first = true;
       is_object ? tokens.next_member(key, element) : tokens.next_element(element);
       is_first = false) {
    if (!is_first) to += ',';
    if (is_object) {
      append_quoted(key, to);
      to += ':';
    }
    append_json(element, to);
  }
  to += is_object ? '}' : ']';
}

}  // namespace

void append_json(const JsonValue& value, std::string& to) {
  switch (value.kind) {
    case JsonKind::integer: return append_integer(value.text, to);
    case JsonKind::real: return append_real(value.text, json_style, to);
    case JsonKind::string: return append_quoted(value, to);
    case JsonKind::array:
    case JsonKind::object: return append_nested(value, to);
    default: to += value.text;
  }
}

void append_as_string(const JsonValue& value, std::string& to) {
  if (value.kind == JsonKind::string) return append_decoded(value, to);
  if (value.kind == JsonKind::real) return append_real(value.text, cast_style, to);
  append_json(value, to);
}

}  // namespace penstock::io
