#include "expr/value_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "expr/string_operations.hpp"

namespace penstock::expr {
namespace {

constexpr int max_width = 10'000, max_precision = 300;
constexpr std::string_view known_types = "dxXobeEfFgGs";

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

int take_number(std::string_view& text) {
  int number = 0;
  while (!text.empty() && is_decimal_digit(text.front())) {
    number = std::min(number * 10 + (text.front() - '0'), max_width + 1);
    text.remove_prefix(1);
  }
  return number;
}

bool take_if(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool is_alignment(char c) { return c == '<' || c == '>' || c == '^'; }

// Returns what is left of a text behind its format.
std::string_view read(std::string_view text, ValueFormat& format) {
  if (text.size() >= 2 && is_alignment(text[1])) {
    format.fill = text[0];
    format.alignment = text[1];
    text.remove_prefix(2);
  } else if (!text.empty() && is_alignment(text[0])) {
    format.alignment = text[0];
    text.remove_prefix(1);
  }
  format.has_plus = take_if(text, '+');
  format.has_space = !format.has_plus && take_if(text, ' ');
  if (take_if(text, '-')) format.has_space = false;
  format.is_alternate = take_if(text, '#');
  format.has_zeros = take_if(text, '0');
  format.width = take_number(text);
  for (const char grouping : {',', '_', '\''})
    if (take_if(text, grouping)) format.grouping = grouping;
  if (take_if(text, '.')) format.precision = take_number(text);
  if (!text.empty() && known_types.find(text[0]) != known_types.npos) {
    format.type = text[0];
    text.remove_prefix(1);
  }
  return text;
}

std::string aligned(std::string text, const ValueFormat& format, char otherwise) {
  const std::int64_t missing = format.width - character_count(text);
  if (missing <= 0) return text;
  const char alignment = format.alignment != 0 ? format.alignment : otherwise;
  const auto count = static_cast<std::size_t>(missing);
  const std::size_t before = alignment == '<' ? 0 : alignment == '^' ? count / 2 : count;
  return std::string(before, format.fill) + text + std::string(count - before, format.fill);
}

std::string grouped(std::string digits, char separator) {
  if (separator == 0) return digits;
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  for (std::size_t at = end; at > 3; at -= 3) digits.insert(at - 3, 1, separator);
  return digits;
}

// Puts the sign before the digits, and zeros between both.
std::string signed_digits(bool is_negative, std::string digits, const ValueFormat& format) {
  std::string sign = is_negative ? "-" : format.has_plus ? "+" : format.has_space ? " " : "";
  const bool fills = format.has_zeros && format.alignment == 0;
  const auto length = static_cast<std::int64_t>(sign.size() + digits.size());
  if (fills && length < format.width)
    digits.insert(0, static_cast<std::size_t>(format.width - length), '0');
  return aligned(sign + digits, format, '>');
}

std::string digits_in(std::uint64_t value, const ValueFormat& format) {
  const int base = format.type == 'x' || format.type == 'X' ? 16
                   : format.type == 'o'                     ? 8
                   : format.type == 'b'                     ? 2
                                                            : 10;
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
  std::string digits(buffer.data(), end);
  if (format.type == 'X')
    std::ranges::transform(digits, digits.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  if (format.is_alternate && base == 16) digits.insert(0, format.type == 'X' ? "0X" : "0x");
  if (format.is_alternate && base == 2) digits.insert(0, "0b");
  return grouped(std::move(digits), base == 10 ? format.grouping : '\0');
}

// The fewest digits that read back as the value. DuckDB writes an exponent below -4 and from 16 on.
std::string shortest_digits(double magnitude) {
  std::array<char, 64> buffer{};
  char *const begin = buffer.data(), *const limit = begin + buffer.size();
  const bool is_fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const auto end =
      std::to_chars(begin, limit, magnitude,
                    is_fixed ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  std::string digits(begin, end);
  return digits + (is_fixed && digits.find('.') == std::string::npos ? ".0" : "");
}

// Only the letters of real numbers reach snprintf(): another would read no double.
std::string digits_of_real(double magnitude, const ValueFormat& format) {
  if (std::isnan(magnitude)) return "nan";
  if (std::isinf(magnitude)) return "inf";
  std::array<char, 1024> buffer{};
  if (format.type == 0 && format.precision < 0)
    return grouped(shortest_digits(magnitude), format.grouping);
  const bool is_real = std::string_view("eEfFgG").find(format.type) != std::string_view::npos;
  const std::string pattern = {'%', '.', '*', is_real && format.type != 0 ? format.type : 'g'};
  const int precision = format.precision < 0 ? 6 : std::min(format.precision, max_precision);
  const int length =
      std::snprintf(buffer.data(), buffer.size(), pattern.c_str(), precision, magnitude);
  return grouped(std::string(buffer.data(), static_cast<std::size_t>(std::max(length, 0))),
                 format.grouping);
}

Status no_format(std::string_view format) {
  return {Code::unsupported, "the format '" + std::string(format) +
                                 "' is not supported; its letters are d x X b o e E f F g G and s"};
}

void add_text(std::vector<FormatPart>& parts, char c) {
  if (parts.empty() || parts.back().is_value) parts.emplace_back();
  parts.back().text += c;
}

// printf's flags, in the order that format() has them.
Result<std::string> without_percent(std::string_view text) {
  std::string flags;
  bool is_left = false;
  while (!text.empty() && std::string_view("-+ #0").find(text.front()) != std::string_view::npos) {
    if (text.front() == '-')
      is_left = true;
    else if (flags.find(text.front()) == std::string::npos)
      flags += text.front();
    text.remove_prefix(1);
  }
  std::string ordered = is_left ? "<" : "";
  for (const char flag : {'+', ' ', '#', '0'})
    if (flags.find(flag) != std::string::npos && (flag != '0' || !is_left)) ordered += flag;
  std::string rest(text);
  if (!rest.empty() && (rest.back() == 'i' || rest.back() == 'u')) rest.back() = 'd';
  const bool is_text = !rest.empty() && rest.back() == 's' && !is_left;
  return (is_text ? ">" : "") + ordered + rest;
}

}  // namespace

ValueFormat read_value_format(std::string_view text) {
  ValueFormat format;
  read(text, format);
  return format;
}

Status check_value_format(std::string_view text) {
  ValueFormat format;
  const std::string_view left = read(text, format);
  const bool is_read =
      left.empty() && format.width <= max_width && format.precision <= max_precision;
  return is_read ? Status() : no_format(text);
}

std::string written_integer(std::int64_t value, const ValueFormat& format) {
  if (format.type != 0 && std::string_view("eEfFgG").find(format.type) != std::string_view::npos)
    return written_real(static_cast<double>(value), format);
  const std::uint64_t magnitude = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                            : static_cast<std::uint64_t>(value);
  return signed_digits(value < 0, digits_in(magnitude, format), format);
}

std::string written_real(double value, const ValueFormat& format) {
  return signed_digits(std::signbit(value) && !std::isnan(value),
                       digits_of_real(std::fabs(value), format), format);
}

std::string written_text(std::string_view text, const ValueFormat& format) {
  const std::string_view cut = format.precision >= 0 ? left(text, format.precision) : text;
  return aligned(std::string(cut), format, '<');
}

Result<std::vector<FormatPart>> parts_of_format(std::string_view format) {
  std::vector<FormatPart> parts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); i++) {
    const bool is_twice = i + 1 < format.size() && format[i + 1] == format[i];
    if (format[i] != '{' && format[i] != '}') {
      add_text(parts, format[i]);
      continue;
    }
    if (is_twice) {
      add_text(parts, format[i++]);
      continue;
    }
    const std::size_t end = format.find('}', i);
    if (format[i] == '}' || end == format.npos)
      return Status(Code::invalid, "the format has a brace too many");
    std::string_view inside = format.substr(i + 1, end - i - 1);
    const bool has_number = !inside.empty() && is_decimal_digit(inside.front());
    const std::size_t value = has_number ? static_cast<std::size_t>(take_number(inside)) : next++;
    if (!inside.empty() && !take_if(inside, ':')) return no_format(inside);
    PENSTOCK_TRY(check_value_format(inside));
    parts.push_back({std::string(inside), true, value});
    i = end;
  }
  return parts;
}

Result<std::vector<FormatPart>> parts_of_printf(std::string_view format) {
  std::vector<FormatPart> parts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') {
      add_text(parts, format[i]);
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      add_text(parts, format[i++]);
      continue;
    }
    const std::size_t end = format.find_first_not_of("-+ #0123456789.", i + 1);
    if (end == format.npos) return Status(Code::invalid, "the format ends within a value's place");
    PENSTOCK_ASSIGN(const std::string inside, without_percent(format.substr(i + 1, end - i)));
    PENSTOCK_TRY(check_value_format(inside));
    parts.push_back({inside, true, next++});
    i = end;
  }
  return parts;
}

}  // namespace penstock::expr
