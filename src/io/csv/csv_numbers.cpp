#include "io/csv/csv_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "io/csv/csv_chars.hpp"

namespace penstock::io {
namespace {

// 0x1F or 0b11; nullopt where the text is neither, or too large.
std::optional<std::int64_t> read_prefixed(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const int base = lower_case(text[1]) == 'x' ? 16 : lower_case(text[1]) == 'b' ? 2 : 0;
  if (base == 0 || text[2] == '-') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + 2, text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// A decimal number taken apart: digits * 10^exponent.
struct Decimal {
  bool is_negative = false;
  std::string digits;  // without leading zeros
  std::int64_t exponent = 0;
};

// Reads digits, with single _ between them.
bool read_digits(std::string_view text, std::size_t& at, std::string& digits) {
  const std::size_t begin = at;
  while (at < text.size()) {
    if (text[at] == '_') {
      const bool is_between =
          at > begin && is_digit(text[at - 1]) && at + 1 < text.size() && is_digit(text[at + 1]);
      if (!is_between) return false;
    } else if (!is_digit(text[at])) {
      break;
    } else if (text[at] != '0' || !digits.empty()) {
      digits += text[at];
    }
    at++;
  }
  return true;
}

bool read_exponent(std::string_view text, std::int64_t& exponent) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::abs(value) > 100'000)
    return false;
  exponent += value;
  return true;
}

std::optional<Decimal> read_decimal(std::string_view text, char decimal_separator) {
  Decimal out;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.is_negative = text[0] == '-';
    at++;
  }
  const std::size_t begin = at;
  if (!read_digits(text, at, out.digits)) return std::nullopt;
  std::size_t digit_count = at - begin;
  if (at < text.size() && text[at] == decimal_separator) {
    const std::size_t fraction = ++at;
    std::string zeros = "1" + out.digits;  // a leading digit keeps the fraction's zeros
    if (!read_digits(text, at, zeros)) return std::nullopt;
    out.digits = zeros.substr(1);
    digit_count += at - fraction;
    out.exponent = -static_cast<std::int64_t>(
        std::count_if(text.begin() + static_cast<std::ptrdiff_t>(fraction),
                      text.begin() + static_cast<std::ptrdiff_t>(at), is_digit));
  }
  if (digit_count == 0) return std::nullopt;
  if (at < text.size() && lower_case(text[at]) == 'e') {
    if (!read_exponent(text.substr(at + 1), out.exponent)) return std::nullopt;
    at = text.size();
  }
  if (at != text.size()) return std::nullopt;
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  return out;
}

// The value of a word that stands for an infinity or no number.
template <class Float> std::optional<Float> special_float(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  Float value = std::numeric_limits<Float>::infinity();
  if (equals_any_case(text, "nan"))
    value = std::numeric_limits<Float>::quiet_NaN();
  else if (!equals_any_case(text, "inf") && !equals_any_case(text, "infinity"))
    return std::nullopt;
  return is_negative ? -value : value;
}

template <class Float> std::optional<Float> plain_float(std::string_view text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // An infinity or 0; strtod() knows which, also of a float that is out of range.
  return static_cast<Float>(std::strtod(std::string(text).c_str(), nullptr));
}

template <class Float>
std::optional<Float> read_floating(std::string_view text, char decimal_separator) {
  if (decimal_separator == '.')
    if (const auto value = plain_float<Float>(text); value && std::isfinite(*value)) return value;
  text = trimmed(text);
  if (const auto special = special_float<Float>(text)) return special;
  if (!read_decimal(text, decimal_separator)) return std::nullopt;
  std::string plain;
  for (const char c : text.substr(text.starts_with('+')))
    if (c != '_') plain += c == decimal_separator ? '.' : c;
  return plain_float<Float>(plain);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool may_be_number(std::string_view text) {
  text = trimmed(text);
  const bool has_leading_zero = text.size() > 1 && text[0] == '0' && is_digit(text[1]);
  return !text.empty() && text[0] != '+' && !has_leading_zero &&
         text.find('_') == std::string_view::npos;
}

IntegerWidth integer_width(std::string_view text) {
  text = trimmed(text);
  if (read_prefixed(text)) return IntegerWidth::bits_64;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return IntegerWidth::none;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  const auto fits = [&](std::string_view limit) {
    return text.size() < limit.size() || (text.size() == limit.size() && text <= limit);
  };
  if (fits(is_negative ? "9223372036854775808" : "9223372036854775807"))
    return IntegerWidth::bits_64;
  return fits(is_negative ? "170141183460469231731687303715884105728"
                          : "170141183460469231731687303715884105727")
             ? IntegerWidth::bits_128
             : IntegerWidth::wider;
}

bool is_double(std::string_view text, char decimal_separator) {
  const bool ends_in_space = !text.empty() && is_space(text.back());
  return !ends_in_space && read_double(text, decimal_separator).has_value();
}

bool is_boolean_word(std::string_view text) {
  constexpr std::array<std::string_view, 6> words{"true", "false", "t", "f", "yes", "no"};
  return std::ranges::any_of(words, [&](auto word) { return equals_any_case(text, word); });
}

std::optional<bool> read_boolean(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y", "1"})
    if (equals_any_case(text, word)) return true;
  for (const std::string_view word : {"false", "f", "no", "n", "0"})
    if (equals_any_case(text, word)) return false;
  return std::nullopt;
}

std::optional<__int128> read_scaled(std::string_view text, int scale, char decimal_separator) {
  text = trimmed(text);
  auto decimal = read_decimal(text, decimal_separator);
  if (!decimal) {
    const auto value = read_prefixed(text);
    if (!value || scale != 0) return std::nullopt;
    return *value;
  }
  if (decimal->digits.empty()) return 0;
  const std::int64_t kept =
      static_cast<std::int64_t>(decimal->digits.size()) + decimal->exponent + scale;
  if (kept < 0) return 0;
  if (kept > 39) return std::nullopt;  // 2^127 has 39 digits
  const auto digit = [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    return index < decimal->digits.size() ? decimal->digits[index] - '0' : 0;
  };
  __int128 value = 0;
  for (std::int64_t i = 0; i < kept; i++)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, digit(i), &value))
      return std::nullopt;
  if (__builtin_add_overflow(value, digit(kept) >= 5, &value)) return std::nullopt;
  return decimal->is_negative ? -value : value;
}

bool fits_scale(std::string_view text, int scale) {
  const auto decimal = read_decimal(trimmed(text), '.');
  if (!decimal) return false;
  const std::size_t last = decimal->digits.find_last_not_of('0');
  if (last == std::string::npos) return true;
  return static_cast<std::int64_t>(decimal->digits.size() - 1 - last) + decimal->exponent >= -scale;
}

std::optional<double> read_double(std::string_view text, char decimal_separator) {
  return read_floating<double>(text, decimal_separator);
}

std::optional<float> read_float(std::string_view text, char decimal_separator) {
  return read_floating<float>(text, decimal_separator);
}

}  // namespace penstock::io
