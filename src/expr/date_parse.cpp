#include "expr/date_parse.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "expr/calendar.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

constexpr std::string_view parse_specifiers = "aAbBdHIjmMpSfgyY%";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_in_any_case(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

// The parts that a text has named so far, and the rest of it.
class DateText {
 public:
  explicit DateText(std::string_view text) : left_(text) { skip_spaces(); }

  bool literal(char c) {
    if (is_space(c)) return skip_spaces(), true;
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }

  bool specifier(char c) {
    switch (c) {
      case 'Y': return field(year_, 4, -9999, 9999);
      case 'y': return short_year();
      case 'm': return field(month_, 2, 1, 12);
      case 'd': return field(day_, 2, 1, 31);
      case 'j': return field(day_of_year_, 3, 1, 366);
      case 'H': return field(hour_, 2, 0, 23);
      case 'I': return (is_of_half_day_ = true) && field(hour_, 2, 1, 12);
      case 'M': return field(minute_, 2, 0, 59);
      case 'S': return field(second_, 2, 0, 59);
      case 'f': return fraction(6);
      case 'g': return fraction(3);
      case 'p': return half_of_day();
      case 'b': return name(month_names, 3, month_);
      case 'B': return name(month_names, 0, month_);
      case 'a': return name(day_names, 3, ignored_);
      case 'A': return name(day_names, 0, ignored_);
      case '%': return literal('%');
      default: return false;
    }
  }

  std::optional<std::int64_t> value() {
    skip_spaces();
    if (!left_.empty()) return std::nullopt;
    std::int64_t days = 0;
    if (day_of_year_ > 0) {
      days = days_of_civil(year_, 1, 1) + day_of_year_ - 1;
      if (civil_of_days(days).year != year_) return std::nullopt;
    } else {
      days = days_of_civil(year_, static_cast<int>(month_), 1) + day_ - 1;
      if (civil_of_days(days).month != month_) return std::nullopt;
    }
    std::int64_t hour = hour_;
    if (is_of_half_day_) hour = hour_ % 12 + (is_afternoon_ ? 12 : 0);
    return days * microseconds_per_day + ((hour * 60 + minute_) * 60 + second_) * 1'000'000 +
           microsecond_;
  }

 private:
  void skip_spaces() {
    while (!left_.empty() && is_space(left_.front())) left_.remove_prefix(1);
  }

  bool field(std::int64_t& value, std::size_t digits, std::int64_t least, std::int64_t greatest) {
    const bool is_negative = least < 0 && left_.starts_with('-');
    if (is_negative) left_.remove_prefix(1);
    std::size_t count = 0;
    value = 0;
    for (; count < digits && count < left_.size() && is_digit(left_[count]); count++)
      value = value * 10 + (left_[count] - '0');
    left_.remove_prefix(count);
    if (is_negative) value = -value;
    return count > 0 && value >= least && value <= greatest;
  }

  bool short_year() {
    if (!field(year_, 2, 0, 99)) return false;
    year_ += year_ < 69 ? 2000 : 1900;
    return true;
  }

  bool fraction(std::size_t digits) {
    const std::size_t before = left_.size();
    if (!field(microsecond_, digits, 0, 999'999)) return false;
    for (std::size_t count = before - left_.size(); count < 6; count++) microsecond_ *= 10;
    return true;
  }

  bool half_of_day() {
    if (!begins_in_any_case(left_, "AM") && !begins_in_any_case(left_, "PM")) return false;
    is_afternoon_ = begins_in_any_case(left_, "PM");
    left_.remove_prefix(2);
    return true;
  }

  // The number of a name, from 1; of its first letters where `length` is not 0.
  template <class Names> bool name(const Names& names, std::size_t length, std::int64_t& number) {
    for (std::size_t i = 0; i < std::size(names); i++) {
      const std::string_view word = length > 0 ? names[i].substr(0, length) : names[i];
      if (!begins_in_any_case(left_, word)) continue;
      left_.remove_prefix(word.size());
      number = static_cast<std::int64_t>(i) + 1;
      return true;
    }
    return false;
  }

  std::string_view left_;
  std::int64_t year_ = 1900, month_ = 1, day_ = 1, day_of_year_ = 0, hour_ = 0, minute_ = 0,
               second_ = 0, microsecond_ = 0, ignored_ = 0;
  bool is_of_half_day_ = false, is_afternoon_ = false;
};

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text, std::string_view format) {
  DateText date(text);
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') {
      if (!date.literal(format[i])) return std::nullopt;
      continue;
    }
    i++;
    if (i < format.size() && format[i] == '-') i++;
    if (i >= format.size() || !date.specifier(format[i])) return std::nullopt;
  }
  return date.value();
}

Status check_parse_format(std::string_view format) {
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') continue;
    const std::size_t first = i++;
    if (i < format.size() && format[i] == '-') i++;
    if (i < format.size() && parse_specifiers.find(format[i]) != parse_specifiers.npos) continue;
    return {Code::unsupported, "strptime's specifier '" +
                                   std::string(format.substr(first, i + 1 - first)) +
                                   "' is not supported"};
  }
  return {};
}

}  // namespace penstock::expr
