// Reads numbers of a statement: literals, and strings that are cast to a numeric type.
#include <charconv>
#include <limits>
#include <string>

#include "base/ascii.hpp"
#include "expr/constant.hpp"

namespace penstock::expr {
namespace {

bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::optional<double> real_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  // Out of range: DuckDB gives infinity above and zero below.
  const std::size_t exponent = text.find_first_of("eE");
  const bool small =
      exponent != std::string::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
  return small                 ? 0.0
         : text.front() == '-' ? -std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::infinity();
}

// A number's digits without its point: "12.5e1" is 125, of which 3 are before the point.
struct Digits {
  std::string all;
  std::int64_t before_point = 0;
};

std::optional<Digits> digits_of(std::string_view text) {
  Digits digits;
  bool seen_point = false;
  while (!text.empty() && text.front() != 'e' && text.front() != 'E') {
    const char c = text.front();
    text.remove_prefix(1);
    const bool joins = c == '_' && !digits.all.empty() && !text.empty() && is_digit(text.front());
    if (c == '.' && !seen_point)
      seen_point = true;
    else if (is_digit(c))
      digits.all += c, digits.before_point += !seen_point;
    else if (!joins)
      return std::nullopt;
  }
  if (digits.all.empty()) return std::nullopt;
  if (text.empty()) return digits;
  text.remove_prefix(1);
  const bool is_positive = take(text, '+');
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size() ||
      (is_positive && text.front() == '-'))
    return std::nullopt;
  digits.before_point += exponent;
  return digits;
}

// Returns a number as a count of 10^-scale, rounded half away from zero as casts are; nullopt
// beyond 38 digits.
std::optional<Int128> count_of(std::string_view text, int scale) {
  const bool negative = take(text, '-');
  if (!negative) (void)take(text, '+');
  const auto digits = digits_of(text);
  if (!digits) return std::nullopt;
  const std::int64_t kept = digits->before_point + scale,
                     size = static_cast<std::int64_t>(digits->all.size());
  // 38 digits fit 128 bits, and 39 need not.
  constexpr Int128 ten_digits = 10'000'000'000;
  constexpr Int128 most = ten_digits * ten_digits * ten_digits * 10'000'000 - 1;
  Int128 count = 0;
  for (std::int64_t i = 0; i < kept && (i < size || count != 0); i++) {
    count = count * 10 + (i < size ? digits->all[static_cast<std::size_t>(i)] - '0' : 0);
    if (count > most) return std::nullopt;
  }
  if (kept >= 0 && kept < size) count += digits->all[static_cast<std::size_t>(kept)] >= '5';
  return negative ? -count : count;
}

std::optional<Scalar> decimal_of(Type type, std::string_view text) {
  const auto count = count_of(text, type.scale);
  Int128 limit = 1;
  for (int i = 0; i < type.precision; i++) limit *= 10;
  return count && *count < limit && *count > -limit ? std::optional(Scalar::of(type, *count))
                                                    : std::nullopt;
}

// Removes the underscores between two digits. nullopt where one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text, bool (*is_one)(char)) {
  std::string kept;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '_') {
      kept += text[i];
      continue;
    }
    const bool joins = i > 0 && i + 1 < text.size() && is_one(text[i - 1]) && is_one(text[i + 1]);
    if (!joins) return std::nullopt;
  }
  return kept;
}

// "0x1F" or "0b101"; nullopt where it is neither, or has more than 64 bits.
std::optional<Int128> prefixed_integer(std::string_view text) {
  const bool is_binary = text.starts_with("0b") || text.starts_with("0B");
  if (!is_binary && !text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  const auto digits = without_underscores(text.substr(2), is_hexadecimal);
  std::uint64_t value = 0;
  if (!digits) return std::nullopt;
  const char* const last = digits->data() + digits->size();
  const auto [end, error] = std::from_chars(digits->data(), last, value, is_binary ? 2 : 16);
  return error == std::errc() && end == last ? std::optional<Int128>(value) : std::nullopt;
}

std::optional<Scalar> integer_of(Type type, std::string_view text) {
  const auto prefixed = prefixed_integer(text);
  const auto count = prefixed ? prefixed : count_of(text, 0);
  const bool is_huge = type.kind == Kind::int128, has_sign = is_signed(type);
  if (is_huge)  // 128 bits hold all that has 38 digits
    return count ? std::optional(Scalar::of(type, *count)) : std::nullopt;
  const int bits = static_cast<int>(width_bytes(type)) * 8 - (has_sign ? 1 : 0);
  const Int128 end = Int128(1) << bits, least = has_sign ? -end : Int128(0);
  const bool is_wrong_sign = !has_sign && text.starts_with('-') && text != "-0";
  return count && *count >= least && *count < end && !is_wrong_sign
             ? std::optional(Scalar::of(type, *count))
             : std::nullopt;
}

}  // namespace

Result<Scalar> number_literal(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != '_') digits += c;
  const bool negative = digits.starts_with('-');
  const std::string magnitude = digits.substr(negative ? 1 : 0);
  if (magnitude.starts_with("0x") || magnitude.starts_with("0X") || magnitude.starts_with("0o") ||
      magnitude.starts_with("0b"))
    return Status(Code::unsupported, "a number in hexadecimal, octal or binary is not supported");
  if (magnitude.find_first_of("eE") != std::string::npos) {
    const auto real = real_of(digits);
    return real ? Result<Scalar>(Scalar::of(*real))
                : Status(Code::invalid, std::string(text) + " is not a number");
  }
  const std::size_t point = magnitude.find('.');
  Int128 value = 0;
  int count = 0;  // without leading zeros
  for (char c : magnitude) {
    if (c == '.' || (c == '0' && value == 0)) continue;
    if (!is_digit(c)) return Status(Code::invalid, std::string(text) + " is not a number");
    value = value * 10 + (c - '0');
    if (++count > 38)
      return Status(Code::unsupported, std::string(text) + " has more than 38 digits");
  }
  if (negative) value = -value;
  if (point != std::string::npos) {
    const int width = static_cast<int>(magnitude.size()) - 1,
              scale = width - static_cast<int>(point);
    if (width > 38)
      return Status(Code::unsupported, std::string(text) + " has more than 38 digits");
    return Scalar::of(Type::decimal(width, scale), value);
  }
  const auto fits = [&](auto type) {
    return value >= std::numeric_limits<decltype(type)>::min() &&
           value <= std::numeric_limits<decltype(type)>::max();
  };
  if (fits(std::int32_t{})) return Scalar::of(type_of<std::int32_t>(), value);
  if (fits(std::int64_t{})) return Scalar::of(type_of<std::int64_t>(), value);
  return Scalar::of(Type{Kind::int128}, value);
}

std::optional<Scalar> parse_number(Type type, std::string_view text) {
  if (type.kind == Kind::decimal) return decimal_of(type, text);
  if (is_integer(type) || type.kind == Kind::int128) return integer_of(type, text);
  (void)take(text, '+');
  const auto digits = without_underscores(text, is_digit);
  const auto real = is_float(type) && digits ? real_of(*digits) : std::nullopt;
  if (!real) return std::nullopt;
  return Scalar::of(
      type, type.kind == Kind::float32 ? static_cast<double>(static_cast<float>(*real)) : *real);
}

}  // namespace penstock::expr
