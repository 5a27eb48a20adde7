#include "io/csv/csv_time_format.hpp"

#include <algorithm>
#include <array>

#include "io/csv/csv_chars.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {

struct CsvTimeFormat::Parts {
  std::int64_t year = 1900;
  unsigned month = 1, day = 1, hour = 0, minute = 0, second = 0, micros = 0;
  std::optional<bool> is_afternoon;
};

namespace {

constexpr std::string_view specifiers = "YymdbBHIMSfp%";
constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};

bool starts_with_any_case(std::string_view text, std::string_view lower_word) {
  return text.size() >= lower_word.size() &&
         std::ranges::equal(text.substr(0, lower_word.size()), lower_word,
                            [](char a, char b) { return (a | ' ') == b; });
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
}

// Takes up to so many digits; a fraction's digits count from the left.
std::optional<unsigned> take_number(std::string_view& text, std::size_t max_digits,
                                    bool is_fraction = false) {
  unsigned value = 0;
  std::size_t count = 0;
  for (; count < max_digits && count < text.size() && text[count] >= '0' && text[count] <= '9';
       count++)
    value = value * 10 + static_cast<unsigned>(text[count] - '0');
  if (count == 0) return std::nullopt;
  text.remove_prefix(count);
  for (; is_fraction && count < max_digits; count++) value *= 10;
  return value;
}

bool take_month(std::string_view& text, bool is_short, unsigned& month) {
  for (std::size_t i = 0; i < months.size(); i++) {
    const std::string_view name = is_short ? months[i].substr(0, 3) : months[i];
    if (!starts_with_any_case(text, name)) continue;
    text.remove_prefix(name.size());
    month = static_cast<unsigned>(i + 1);
    return true;
  }
  return false;
}

bool take_half_day(std::string_view& text, std::optional<bool>& is_afternoon) {
  if (!starts_with_any_case(text, "am") && !starts_with_any_case(text, "pm")) return false;
  is_afternoon = (text[0] | ' ') == 'p';
  text.remove_prefix(2);
  return true;
}

// Takes a number of two digits at most, between these bounds.
bool take_between(std::string_view& text, unsigned low, unsigned high, unsigned& out) {
  const auto value = take_number(text, 2);
  if (!value || *value < low || *value > high) return false;
  out = *value;
  return true;
}

template <class Parts> bool take_part(std::string_view& text, char specifier, Parts& parts) {
  switch (specifier) {
    case 'Y':
      if (const auto year = take_number(text, 4)) return parts.year = *year, true;
      return false;
    case 'y':
      if (const auto year = take_number(text, 2))
        return parts.year = *year < 69 ? 2000 + *year : 1900 + *year, true;
      return false;
    case 'm': return take_between(text, 1, 12, parts.month);
    case 'd': return take_between(text, 1, 31, parts.day);
    case 'b': return take_month(text, true, parts.month);
    case 'B': return take_month(text, false, parts.month);
    case 'H': return take_between(text, 0, 23, parts.hour);
    case 'I': return take_between(text, 1, 12, parts.hour);
    case 'M': return take_between(text, 0, 59, parts.minute);
    case 'S': return take_between(text, 0, 59, parts.second);
    case 'f':
      if (const auto micros = take_number(text, 6, true)) return parts.micros = *micros, true;
      return false;
    default: return take_half_day(text, parts.is_afternoon);
  }
}

}  // namespace

Result<CsvTimeFormat> CsvTimeFormat::parse(std::string_view format) {
  CsvTimeFormat out;
  out.text_ = format;
  std::string literal;
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') {
      literal += format[i];
      continue;
    }
    const char specifier = i + 1 < format.size() ? format[++i] : ' ';
    if (specifiers.find(specifier) == std::string_view::npos)
      return Status(Code::invalid, "the format '" + std::string(format) + "' has %" + specifier +
                                       "; there are %Y %y %m %d %b %B %H %I %M %S %f %p and %%");
    if (specifier == '%') {
      literal += '%';
      continue;
    }
    if (!literal.empty()) out.items_.push_back({'\0', std::move(literal)});
    literal.clear();
    out.items_.push_back({specifier, {}});
  }
  if (!literal.empty()) out.items_.push_back({'\0', std::move(literal)});
  return out;
}

bool CsvTimeFormat::read(std::string_view text, Parts& parts, bool is_strict) const {
  skip_spaces(text);
  for (const Item& item : items_) {
    if (item.specifier != '\0') {
      const std::size_t before = text.size();
      if (!take_part(text, item.specifier, parts)) return false;
      const bool is_year = item.specifier == 'y' || item.specifier == 'Y';
      if (is_strict && is_year && before - text.size() < 2) return false;
      continue;
    }
    for (const char c : item.literal) {
      if (is_space(c)) {  // stands for any number of spaces, one at least
        if (text.empty() || !is_space(text[0])) return false;
        skip_spaces(text);
      } else {
        if (text.empty() || text[0] != c) return false;
        text.remove_prefix(1);
      }
    }
  }
  skip_spaces(text);
  if (parts.is_afternoon) {
    if (parts.hour > 12) return false;
    parts.hour = parts.hour % 12 + (*parts.is_afternoon ? 12 : 0);
  }
  return text.empty();
}

bool CsvTimeFormat::is_of(std::string_view text) const {
  Parts parts;
  return read(text, parts, true) && days_of(parts.year, parts.month, parts.day);
}

std::optional<std::int32_t> CsvTimeFormat::read_date(std::string_view text) const {
  Parts parts;
  if (!read(text, parts, false)) return std::nullopt;
  return days_of(parts.year, parts.month, parts.day);
}

std::optional<std::int64_t> CsvTimeFormat::read_timestamp(std::string_view text) const {
  Parts parts;
  if (!read(text, parts, false)) return std::nullopt;
  const auto days = days_of(parts.year, parts.month, parts.day);
  if (!days) return std::nullopt;
  const std::int64_t seconds = (parts.hour * 60 + parts.minute) * 60 + parts.second;
  return micros_of(*days, seconds * 1'000'000 + parts.micros);
}

}  // namespace penstock::io
