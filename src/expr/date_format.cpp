#include "expr/date_format.hpp"

#include <cstdlib>
#include <string>

#include "expr/calendar.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

constexpr std::string_view specifiers = "aAwdbBmyYHIpMSfngzZjUWcxXGVu%",
                           without_zeros = "dmyHIMSj";  // behind %-

struct Moment {
  explicit Moment(Type type, std::int64_t count) {
    const bool is_date = type.kind == Kind::date32;
    days = is_date ? count : floor_divide(count, microseconds_per_day);
    microseconds = is_date ? 0 : floor_modulo(count, microseconds_per_day);
    date = civil_of_days(days);
    day_of_year = days - days_of_civil(date.year, 1, 1);
    weekday = floor_modulo(days + 4, 7);
  }
  std::int64_t seconds() const { return microseconds / 1'000'000; }
  std::int64_t hour() const { return seconds() / 3600; }
  std::int64_t iso_weekday() const { return weekday == 0 ? 7 : weekday; }
  // The year of the week's Thursday.
  std::int64_t iso_year() const { return civil_of_days(thursday()).year; }
  std::int64_t iso_week() const { return (thursday() - days_of_civil(iso_year(), 1, 1)) / 7 + 1; }
  // Weeks begin on this day; the days before the first one are of week 0.
  std::int64_t week_from(std::int64_t first_weekday) const {
    return (day_of_year + 7 - floor_modulo(weekday - first_weekday, 7)) / 7;
  }

  std::int64_t days = 0, microseconds = 0, day_of_year = 0, weekday = 0;  // from 0, Sunday
  std::string offset = "+00", zone;
  Civil date{};

 private:
  std::int64_t thursday() const { return days + 4 - iso_weekday(); }
};

void append(std::string& text, std::int64_t number, std::size_t digits) {
  const std::string shown = std::to_string(number);
  if (number >= 0 && shown.size() < digits) text.append(digits - shown.size(), '0');
  text += shown;
}

// A specifier that is a number, and its digits with zeros before it.
struct Number {
  std::int64_t value = 0;
  std::size_t digits = 0;  // 0: it is no number
};
Number number_of(const Moment& at, char specifier) {
  switch (specifier) {
    case 'w': return {at.weekday, 1};
    case 'd': return {at.date.day, 2};
    case 'm': return {at.date.month, 2};
    case 'y': return {std::abs(at.date.year) % 100, 2};
    case 'Y': return {at.date.year, 4};
    case 'H': return {at.hour(), 2};
    case 'I': return {(at.hour() + 11) % 12 + 1, 2};
    case 'M': return {at.seconds() / 60 % 60, 2};
    case 'S': return {at.seconds() % 60, 2};
    case 'f': return {at.microseconds % 1'000'000, 6};
    case 'n': return {at.microseconds % 1'000'000 * 1000, 9};
    case 'g': return {at.microseconds % 1'000'000 / 1000, 3};
    case 'j': return {at.day_of_year + 1, 3};
    case 'U': return {at.week_from(0), 2};
    case 'W': return {at.week_from(1), 2};
    case 'G': return {at.iso_year(), 4};
    case 'V': return {at.iso_week(), 2};
    case 'u': return {at.iso_weekday(), 1};
    default: return {};
  }
}

void append_formatted(std::string& text, const Moment& at, std::string_view format);

void append_specifier(std::string& text, const Moment& at, char specifier, bool has_zeros) {
  if (const Number number = number_of(at, specifier); number.digits > 0)
    return append(text, number.value, has_zeros ? number.digits : 1);
  const auto month = static_cast<std::size_t>(at.date.month - 1),
             weekday = static_cast<std::size_t>(at.weekday);
  switch (specifier) {
    case 'a': text += day_names[weekday].substr(0, 3); break;
    case 'A': text += day_names[weekday]; break;
    case 'b': text += month_names[month].substr(0, 3); break;
    case 'B': text += month_names[month]; break;
    case 'p': text += at.hour() < 12 ? "AM" : "PM"; break;
    case 'z': text += at.offset; break;
    case 'Z': text += at.zone; break;
    case 'c': append_formatted(text, at, "%Y-%m-%d %H:%M:%S"); break;
    case 'x': append_formatted(text, at, "%Y-%m-%d"); break;
    case 'X': append_formatted(text, at, "%H:%M:%S"); break;
    case '%': text += '%'; break;
    default: break;
  }
}

void append_formatted(std::string& text, const Moment& at, std::string_view format) {
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    const bool has_zeros = format[i + 1] != '-';
    i += has_zeros ? 1 : 2;
    append_specifier(text, at, format[i], has_zeros);
  }
}

Scalar formatted(std::span<const Scalar> in) {
  const auto count = static_cast<std::int64_t>(in[0].integer);
  if (is_infinite(in[0].type, in[0].integer))
    return Scalar::of(std::string(count < 0 ? "-infinity" : "infinity"));
  std::string text;
  append_formatted(text, Moment(in[0].type, count), in[1].text);
  return Scalar::of(std::move(text));
}

std::shared_ptr<const CustomFunction> function_of(Type type) {
  return std::make_shared<const CustomFunction>(CustomFunction{
      "strftime", {"input1", "input2"}, {type, {Kind::string}}, {Kind::string}, "", formatted});
}

}  // namespace

Status check_date_format(std::string_view format) {
  if (format.empty()) return {Code::invalid, "the format of a date is empty"};
  for (std::size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') continue;
    const std::size_t first = i++;
    const bool has_minus = i < format.size() && format[i] == '-';
    if (has_minus) i++;
    const std::string_view known = has_minus ? without_zeros : specifiers;
    if (i < format.size() && known.find(format[i]) != known.npos) continue;
    return {Code::invalid, "the format has no specifier '" +
                               std::string(format.substr(first, i + 1 - first)) + "'"};
  }
  return {};
}

std::string format_instant(std::int64_t instant, std::string_view format, const TimeZone& zone) {
  if (is_infinite({Kind::timestamp}, instant)) return instant < 0 ? "-infinity" : "infinity";
  Moment at({Kind::timestamp}, zone.local_of(instant));
  at.offset = offset_text(zone.offset_at(instant));
  at.zone = zone.name();
  std::string text;
  append_formatted(text, at, format);
  return text;
}

// One function of each type, so that equal calls are one node of a graph.
std::shared_ptr<const CustomFunction> date_format_function(Type type) {
  static const auto of_dates = function_of({Kind::date32}),
                    of_timestamps = function_of({Kind::timestamp});
  return type.kind == Kind::date32 ? of_dates : of_timestamps;
}

}  // namespace penstock::expr
