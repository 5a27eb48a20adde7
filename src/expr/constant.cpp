#include "expr/constant.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/ascii.hpp"
#include "expr/bytes_text.hpp"
#include "expr/calendar.hpp"
#include "expr/temporal_text.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t microseconds_per_second = 1'000'000;

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || (text.back() >= '\t' && text.back() <= '\r')))
    text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> take_digits(std::string_view& text, int max_count) {
  std::int64_t value = 0;
  int count = 0;
  for (; count < max_count && !text.empty() && is_digit(text.front());
       count++, text.remove_prefix(1))
    value = value * 10 + (text.front() - '0');
  return count > 0 ? std::optional(value) : std::nullopt;
}

namespace {

// Year 0 is 1 BC. The last date is of the year 5,881,580.
std::optional<std::int32_t> take_date(std::string_view& text) {
  const bool is_negative = take(text, '-');
  auto year = take_digits(text, 12);
  const char separator = text.empty() ? '\0' : text.front();
  constexpr std::string_view separators = "-/\\ ";
  if (!year || separators.find(separator) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  const auto month = take_digits(text, 2);
  if (!month || !take(text, separator)) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const bool is_before = text.starts_with(" (BC)");
  if (is_before) text.remove_prefix(5);
  if (is_before && (is_negative || *year == 0)) return std::nullopt;
  *year = is_before ? 1 - *year : is_negative ? -*year : *year;
  const std::chrono::year_month_day date{
      std::chrono::year(static_cast<int>(floor_modulo(*year, years_per_era))),
      std::chrono::month(static_cast<unsigned>(*month)),
      std::chrono::day(static_cast<unsigned>(*day))};
  constexpr std::int64_t last_year = 5'881'600;
  if (!date.ok() || *year > last_year || *year < -last_year) return std::nullopt;
  const std::int64_t days = days_of_civil(*year, static_cast<int>(*month), static_cast<int>(*day));
  return days >= -max_date_days && days <= max_date_days
             ? std::optional(static_cast<std::int32_t>(days))
             : std::nullopt;
}

// Returns 1 or -1; 0 where the string is not an infinity.
int sign_of_infinity(std::string_view text) {
  const bool is_negative = take(text, '-');
  const std::string word = lower(text);
  return word != "infinity" && word != "inf" ? 0 : is_negative ? -1 : 1;
}

// Returns a timestamp's text without the time zone behind it, which does not count.
std::string_view without_zone(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789:.", text.find(':'));
  if (end == std::string_view::npos) return text;
  const std::string_view zone = text.substr(end), name = trim(zone);
  if (name == "Z") return text.substr(0, end);
  const bool is_name = name.size() < zone.size() && std::ranges::all_of(
                                                        name,
                                                        [](char c) {
                                                          return (c >= 'a' && c <= 'z') ||
                                                                 (c >= 'A' && c <= 'Z') ||
                                                                 c == '/' || c == '_';
                                                        });
  const std::string_view offset = name.substr(1);
  const bool is_offset = (name.front() == '+' || name.front() == '-') && offset.size() % 3 == 2;
  bool has_digits = is_offset;
  for (std::size_t i = 0; has_digits && i < offset.size(); i++)
    has_digits = i % 3 == 2 ? offset[i] == ':' : is_digit(offset[i]);
  return is_name || has_digits ? text.substr(0, end) : text;
}

}  // namespace

std::optional<std::int64_t> parse_timestamp_without_zone(std::string_view text) {
  return parse_timestamp(without_zone(text));
}

namespace {

// A date, also with a time behind it, which does not count.
std::optional<std::int32_t> date_of(std::string_view text) {
  if (lower(text) == "epoch") return 0;
  if (const auto days = parse_date(text)) return days;
  const std::string_view whole = without_zone(text);
  return parse_timestamp(whole) ? take_date(text) : std::nullopt;
}

std::optional<std::int64_t> timestamp_of(std::string_view text) {
  return lower(text) == "epoch" ? 0 : parse_timestamp(without_zone(text));
}

std::optional<bool> boolean_of(std::string_view text) {
  const std::string word = lower(text);
  for (const std::string_view name : {"true", "t", "yes", "y", "1"})
    if (word == name) return true;
  for (const std::string_view name : {"false", "f", "no", "n", "0"})
    if (word == name) return false;
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> take_time(std::string_view& text, int hour_digits) {
  const auto hours = take_digits(text, hour_digits);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t total = (*hours * 60 + *minutes) * 60 * microseconds_per_second;
  if (!take(text, ':')) return total;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *seconds > 59) return std::nullopt;
  total += *seconds * microseconds_per_second;
  if (!take(text, '.')) return total;
  for (std::int64_t unit = microseconds_per_second / 10; !text.empty() && is_digit(text.front());
       unit /= 10, text.remove_prefix(1))
    total += unit * (text.front() - '0');
  return total;
}

std::optional<std::int32_t> parse_date(std::string_view text) {
  text = trim(text);
  if (const int sign = sign_of_infinity(text)) return sign * INT32_MAX;
  const auto days = take_date(text);
  return text.empty() ? days : std::nullopt;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  text = trim(text);
  if (const int sign = sign_of_infinity(text)) return sign * INT64_MAX;
  const auto days = take_date(text);
  if (!days) return std::nullopt;
  std::int64_t time = 0;
  if (!text.empty()) {
    if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
    const auto taken = take_time(text, 2);
    (void)take(text, 'Z');
    if (!taken || *taken > microseconds_per_day || !text.empty()) return std::nullopt;
    time = *taken;
  }
  constexpr std::int64_t last_day = INT64_MAX / microseconds_per_day;
  if (*days < -last_day || *days >= last_day) return std::nullopt;
  return *days * microseconds_per_day + time;
}

std::optional<std::int64_t> add(std::int64_t microseconds, const Interval& interval, int sign) {
  using namespace std::chrono;
  const sys_time<std::chrono::microseconds> time{std::chrono::microseconds(microseconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  constexpr std::int64_t max_months = 12 * 10'000, max_days = 366 * 10'000,
                         max_microseconds = max_days * microseconds_per_day;
  const auto within = [](std::int64_t value, std::int64_t limit) {
    return value >= -limit && value <= limit;
  };
  if (!within(interval.months, max_months) || !within(interval.days, max_days) ||
      !within(interval.microseconds, max_microseconds))
    return std::nullopt;
  const std::int64_t month =
      std::int64_t(int(date.year())) * 12 + unsigned(date.month()) - 1 + sign * interval.months;
  if (month < 12 || month >= 12 * 10'000) return std::nullopt;
  const year_month target{year(static_cast<int>(month / 12)),
                          std::chrono::month(static_cast<unsigned>(month % 12 + 1))};
  const year_month_day_last last(target.year(), month_day_last(target.month()));
  const sys_days moved =
      sys_days(target / std::min(date.day(), last.day())) + days(sign * interval.days);
  const std::int64_t result = moved.time_since_epoch().count() * microseconds_per_day +
                              (time - day).count() + sign * interval.microseconds;
  const sys_days first_day = sys_days(year(1) / 1 / 1), end_day = sys_days(year(10'000) / 1 / 1);
  if (result < first_day.time_since_epoch().count() * microseconds_per_day ||
      result >= end_day.time_since_epoch().count() * microseconds_per_day)
    return std::nullopt;
  return result;
}

namespace {

std::optional<Scalar> parse_logical(Type type, std::string_view text) {
  std::optional<std::string> bytes;
  if (type.logical == LogicalType::blob) bytes = parse_blob(text);
  if (type.logical == LogicalType::uuid) bytes = parse_uuid(trim(text));
  return bytes ? std::optional(Scalar::of(type, std::move(*bytes))) : std::nullopt;
}

}  // namespace

std::optional<Scalar> parse_as(Type type, std::string_view text) {
  if (is_temporal(type)) return parse_temporal(type, trim(text));
  if (type.logical != LogicalType::none) return parse_logical(type, text);
  if (type.kind == Kind::string) return Scalar::of(std::string(text));
  if (type.kind == Kind::boolean) {
    const auto truth = boolean_of(text);
    return truth ? std::optional(Scalar::of(type, Int128{*truth})) : std::nullopt;
  }
  text = trim(text);
  if (type.kind == Kind::date32) {
    const auto days = date_of(text);
    return days ? std::optional(Scalar::of(type, Int128(*days))) : std::nullopt;
  }
  if (type.kind == Kind::timestamp) {
    const auto microseconds = timestamp_of(text);
    return microseconds ? std::optional(Scalar::of(type, Int128(*microseconds))) : std::nullopt;
  }
  return parse_number(type, text);
}

}  // namespace penstock::expr
