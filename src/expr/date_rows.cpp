// The rows of functions of dates and timestamps that are no operation: sums with intervals, dates
// made of numbers, whole units between two moments, texts read by a format.
#include <algorithm>
#include <cmath>

#include "expr/calendar.hpp"
#include "expr/civil_moment.hpp"
#include "expr/construction.hpp"
#include "expr/date_parse.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number, string_rows::real;

constexpr Type date_type{Kind::date32};

Scalar moment(std::int64_t microseconds) {
  return Scalar::of(timestamp_type, Int128{microseconds});
}

bool is_moment(Int128 microseconds) {
  return microseconds < INT64_MAX && microseconds > -INT64_MAX;
}

Scalar moment_or_zero(Int128 microseconds) {
  return moment(is_moment(microseconds) ? static_cast<std::int64_t>(microseconds) : 0);
}

Int128 sum_with_months(Inputs in) {
  return is_finite(integer(in[0])) ? months_later(integer(in[0]), integer(in[1])) : Int128{0};
}
Int128 sum_with_microseconds(Inputs in) { return in[0].integer + in[1].integer; }

struct DateUnit {
  std::string_view name;
  std::int64_t months, microseconds;
};
constexpr DateUnit date_units[] = {{"millennium", 12000, 0},
                                   {"century", 1200, 0},
                                   {"decade", 120, 0},
                                   {"year", 12, 0},
                                   {"isoyear", 12, 0},
                                   {"quarter", 3, 0},
                                   {"month", 1, 0},
                                   {"week", 0, 7 * microseconds_per_day},
                                   {"yearweek", 0, 7 * microseconds_per_day},
                                   {"day", 0, microseconds_per_day},
                                   {"dow", 0, microseconds_per_day},
                                   {"isodow", 0, microseconds_per_day},
                                   {"doy", 0, microseconds_per_day},
                                   {"hour", 0, 3'600'000'000},
                                   {"minute", 0, 60'000'000},
                                   {"second", 0, 1'000'000},
                                   {"epoch", 0, 1'000'000},
                                   {"millisecond", 0, 1000},
                                   {"microsecond", 0, 1}};

const DateUnit* date_unit_named(std::string_view name) {
  const auto found = std::ranges::find(date_units, name, &DateUnit::name);
  return found == std::end(date_units) ? nullptr : &*found;
}

Scalar whole_units(Inputs in) {
  const std::int64_t from = integer(in[1]), to = integer(in[2]);
  const DateUnit* const unit = date_unit_named(in[0].text);
  if (!unit || !is_finite(from) || !is_finite(to)) return number(0);
  if (unit->months != 0) return number(whole_months(from, to) / unit->months);
  return number(static_cast<std::int64_t>((Int128{to} - from) / unit->microseconds));
}

bool is_date(std::int64_t year, std::int64_t month, std::int64_t day) {
  return std::abs(year) <= 5'000'000 && month >= 1 && month <= 12 && day >= 1 &&
         day <= days_of_month(year, static_cast<int>(month));
}
bool is_date(Inputs in) { return is_date(integer(in[0]), integer(in[1]), integer(in[2])); }

std::int64_t days_of(Inputs in) {
  if (!is_date(in)) return 0;
  return days_of_civil(integer(in[0]), static_cast<int>(integer(in[1])),
                       static_cast<int>(integer(in[2])));
}

Int128 made_moment(Inputs in) {
  const Int128 minutes = in[3].integer * 60 + in[4].integer;
  return Int128{days_of(in)} * microseconds_per_day + minutes * 60'000'000 +
         static_cast<Int128>(std::round(in[5].real * 1e6));
}

bool is_time(Inputs in) {
  return in[3].integer >= 0 && in[3].integer < 24 && in[4].integer >= 0 && in[4].integer < 60 &&
         in[5].real >= 0 && in[5].real < 60;
}

Scalar last_day(Inputs in) {
  const bool is_day = in[0].type.kind == Kind::date32;
  if (is_infinite(in[0].type, in[0].integer))
    return Scalar::of(date_type, in[0].integer < 0 ? -infinite_days : infinite_days);
  const std::int64_t days =
      is_day ? integer(in[0]) : floor_divide(integer(in[0]), microseconds_per_day);
  const Civil date = civil_of_days(days);
  return Scalar::of(date_type, Int128{days - date.day + days_of_month(date.year, date.month)});
}

// Days since noon of 1 January 4713 BC, as astronomers count them; here from midnight.
Scalar julian_day(Inputs in) {
  const CivilMoment at(integer(in[0]));
  return real(static_cast<double>(at.days + 2'440'588) +
              static_cast<double>(at.time) / static_cast<double>(microseconds_per_day));
}

// The start of the bucket of so many microseconds, or of months, that a moment lies in.
Scalar bucket_of_time(Inputs in) {
  const Int128 width = in[1].integer, origin = in[2].integer;
  if (width <= 0 || !is_finite(integer(in[0]))) return in[0];
  const Int128 from = in[0].integer - origin;
  const Int128 count = from / width - (from % width < 0 ? 1 : 0);
  return moment_or_zero(origin + count * width);
}
Scalar bucket_of_months(Inputs in) {
  const std::int64_t width = integer(in[1]);
  if (width <= 0 || !is_finite(integer(in[0]))) return in[0];
  const std::int64_t origin = CivilMoment(integer(in[2])).month_number(),
                     from = CivilMoment(integer(in[0])).month_number() - origin,
                     month = origin + floor_divide(from, width) * width;
  return moment(days_of_civil(floor_divide(month, months_per_year),
                              static_cast<int>(floor_modulo(month, months_per_year)) + 1, 1) *
                microseconds_per_day);
}

Scalar moment_of_text(Inputs in) { return moment(parse_date(in[0].text, in[1].text).value_or(0)); }
bool is_of_format(Inputs in) { return parse_date(in[0].text, in[1].text).has_value(); }

StringFunction date_row(std::string_view name, std::vector<std::string_view> sql_names,
                        std::vector<Type> inputs, Type result, std::string_view doc,
                        Scalar (*host)(Inputs), bool (*fits)(Inputs) = nullptr,
                        std::string_view fault = {}) {
  StringFunction made =
      string_rows::function_row(name, std::move(sql_names), std::move(inputs), result, doc, host);
  made.fits = fits, made.fault = fault;
  return made;
}

constexpr std::string_view leaves_timestamps = "a sum leaves the range of TIMESTAMP";

std::vector<StringFunction> sum_rows() {
  return {
      date_row(
          "add_months", {}, {timestamp_type, int64_type}, timestamp_type, "so many months later",
          [](Inputs in) {
            return is_finite(integer(in[0])) ? moment_or_zero(sum_with_months(in)) : in[0];
          },
          [](Inputs in) { return is_moment(sum_with_months(in)); }, leaves_timestamps),
      date_row(
          "add_microseconds", {}, {timestamp_type, int64_type}, timestamp_type,
          "so many microseconds later",
          [](Inputs in) {
            return is_finite(integer(in[0])) ? moment_or_zero(sum_with_microseconds(in)) : in[0];
          },
          [](Inputs in) {
            return !is_finite(integer(in[0])) || is_moment(sum_with_microseconds(in));
          },
          leaves_timestamps),
      date_row("microsecond_bucket", {}, {timestamp_type, int64_type, timestamp_type},
               timestamp_type, "the start of its bucket of microseconds", bucket_of_time),
      date_row("month_bucket", {}, {timestamp_type, int64_type, timestamp_type}, timestamp_type,
               "the start of its bucket of months", bucket_of_months),
      date_row("whole_units", {}, {string_type, timestamp_type, timestamp_type}, int64_type,
               "whole units from the second to the third", whole_units),
  };
}

std::vector<StringFunction> made_rows() {
  return {
      date_row(
          "make_date", {"make_date"}, {int64_type, int64_type, int64_type}, date_type,
          "the date of a year, month and day",
          [](Inputs in) { return Scalar::of(date_type, Int128{days_of(in)}); },
          [](Inputs in) { return is_date(in); }, "make_date has no such date"),
      date_row("date_of_days", {"make_date"}, {int32_type}, date_type,
               "the date of days since 1970",
               [](Inputs in) { return Scalar::of(date_type, in[0].integer); }),
      date_row(
          "make_timestamp", {"make_timestamp"},
          {int64_type, int64_type, int64_type, int64_type, int64_type, float64_type},
          timestamp_type, "the moment of a date and a time",
          [](Inputs in) { return moment_or_zero(is_time(in) ? made_moment(in) : 0); },
          [](Inputs in) { return is_date(in) && is_time(in) && is_moment(made_moment(in)); },
          "make_timestamp has no such moment"),
      date_row("timestamp_of_microseconds", {"make_timestamp"}, {int64_type}, timestamp_type,
               "the moment of microseconds since 1970",
               [](Inputs in) { return moment(integer(in[0])); }),
      date_row(
          "timestamp_of_milliseconds", {"make_timestamp_ms"}, {int64_type}, timestamp_type,
          "the moment of milliseconds since 1970",
          [](Inputs in) { return moment_or_zero(in[0].integer * 1000); },
          [](Inputs in) { return is_moment(in[0].integer * 1000); },
          "milliseconds leave the range of TIMESTAMP"),
      date_row("last_day", {"last_day"}, {timestamp_type}, date_type, "the last day of its month",
               last_day),
      date_row("last_day_of_date", {"last_day"}, {date_type}, date_type,
               "the last day of its month", last_day),
      date_row(
          "julian", {"julian"}, {timestamp_type}, float64_type, "its Julian day", julian_day,
          [](Inputs in) { return is_finite(integer(in[0])); },
          "an infinite date has no Julian day"),
      date_row("strptime", {"strptime"}, {string_type, string_type}, timestamp_type,
               "the moment that a format reads", moment_of_text, is_of_format,
               "strptime(): a text is not of the format; try_strptime() gives NULL there"),
      date_row("try_strptime", {"try_strptime"}, {string_type, string_type}, timestamp_type,
               "the moment that a format reads, or NULL", moment_of_text, is_of_format),
  };
}

}  // namespace

std::vector<StringFunction> date_rows() {
  std::vector<StringFunction> all = sum_rows();
  for (StringFunction& row : made_rows()) all.push_back(std::move(row));
  return all;
}

}  // namespace penstock::expr
