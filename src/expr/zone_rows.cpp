// The rows of functions of instants in a zone, and of times. The zone is a constant, and the binder
// has found it.
#include <cmath>
#include <utility>

#include "expr/civil_moment.hpp"
#include "expr/construction.hpp"
#include "expr/date_format.hpp"
#include "expr/intervals.hpp"
#include "expr/string_rows.hpp"
#include "expr/time_zone.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number;

using MaybeInstant = std::optional<std::int64_t>;

const TimeZone& zone_in(const Scalar& name) {
  const Result<const TimeZone*> zone = time_zone(name.text);
  return zone.ok() ? **zone : session_zone_or_utc();
}

Scalar instant(std::int64_t count) { return Scalar::of(instant_type, Int128{count}); }

StringFunction zone_row(std::string_view name, std::vector<Type> inputs, Type result,
                        std::string_view doc, Scalar (*host)(Inputs),
                        bool (*fits)(Inputs) = nullptr, std::string_view fault = {}) {
  StringFunction made = string_rows::function_row(name, {}, std::move(inputs), result, doc, host);
  made.fits = fits, made.fault = fault;
  return made;
}

constexpr std::string_view leaves_instants = "a sum leaves the range of TIMESTAMP WITH TIME ZONE";

template <MaybeInstant (*made)(Inputs)>
StringFunction instant_row(std::string_view name, std::vector<std::string_view> sql_names,
                           std::vector<Type> inputs, std::string_view doc, std::string_view fault) {
  StringFunction row = zone_row(
      name, std::move(inputs), instant_type, doc,
      [](Inputs in) { return instant(made(in).value_or(0)); },
      [](Inputs in) { return made(in).has_value(); }, fault);
  row.sql_names = std::move(sql_names);
  return row;
}

template <int sign> MaybeInstant moved_instant(Inputs in) {
  return moved_in_zone(integer(in[0]), interval_in(in[1]), sign, zone_in(in[2]));
}

// Half of a microsecond is rounded away from zero.
MaybeInstant of_seconds(Inputs in) {
  const double count = std::round(in[0].real * 1e6);
  if (!(std::abs(count) < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

// Months and days beyond the calendar's are carried, as in DuckDB.
MaybeInstant of_local_parts(Inputs in) {
  constexpr std::int64_t largest = 300'000;
  for (std::size_t i = 0; i < 5; i++)
    if (std::abs(integer(in[i])) > largest * 1000) return std::nullopt;
  const std::int64_t month = integer(in[0]) * months_per_year + integer(in[1]) - 1,
                     year = floor_divide(month, months_per_year);
  const double seconds = std::round(in[5].real * 1e6);
  if (std::abs(year) > largest || !(std::abs(seconds) < 0x1p62)) return std::nullopt;
  const std::int64_t first =
      days_of_civil(year, static_cast<int>(floor_modulo(month, months_per_year)) + 1, 1);
  const Int128 minutes = in[3].integer * 60 + in[4].integer;
  const Int128 local = (first + in[2].integer - 1) * microseconds_per_day + minutes * 60'000'000 +
                       static_cast<Int128>(seconds);
  if (local >= INT64_MAX || local <= -INT64_MAX) return std::nullopt;
  return zone_in(in[6]).instant_of(static_cast<std::int64_t>(local));
}

Scalar start_of_minute(Inputs in) {
  const std::int64_t at = integer(in[0]);
  const std::int64_t local = zone_in(in[1]).local_of(at);
  return instant(is_finite(at) ? at - floor_modulo(local, 60'000'000) : at);
}

bool are_finite_instants(Inputs in) {
  return is_finite(integer(in[0])) && is_finite(integer(in[1]));
}

Scalar between(Inputs in) {
  return interval_scalar(are_finite_instants(in)
                             ? between_instants(integer(in[0]), integer(in[1]), zone_in(in[2]))
                             : PackedInterval{});
}

// Units that clocks count, from one instant to another: the largest number that can be added.
std::int64_t counted_units(std::int64_t from, std::int64_t to, std::int64_t months,
                           std::int64_t days, const TimeZone& zone) {
  const std::int64_t local_from = zone.local_of(from), local_to = zone.local_of(to);
  const std::int64_t sign = from > to ? -1 : 1;
  std::int64_t count =
      months != 0
          ? (CivilMoment(local_to).month_number() - CivilMoment(local_from).month_number()) / months
          : static_cast<std::int64_t>((Int128{local_to} - local_from) /
                                      (days * microseconds_per_day));
  for (count += sign; count != 0; count -= sign) {
    const PackedInterval step{static_cast<std::int32_t>(count * months),
                              static_cast<std::int32_t>(count * days), 0};
    const MaybeInstant moment = moved_in_zone(from, step, 1, zone);
    if (moment && (sign > 0 ? *moment <= to : *moment >= to)) break;
  }
  return count;
}

// Parts of a date that are counted in units of another name.
constexpr std::pair<std::string_view, std::string_view> unit_synonyms[] = {
    {"yearweek", "week"}, {"dow", "day"}, {"isodow", "day"}, {"doy", "day"}, {"epoch", "second"}};

const IntervalUnit* counted_unit(std::string_view name) {
  for (const auto& [synonym, unit] : unit_synonyms)
    if (name == synonym) return interval_part_named(unit);
  return interval_part_named(name);
}

Scalar whole_units_in_zone(Inputs in) {
  const std::int64_t from = integer(in[1]), to = integer(in[2]);
  const IntervalUnit* const unit = counted_unit(in[0].text);
  if (unit == nullptr || !is_finite(from) || !is_finite(to)) return number(0);
  if (unit->microseconds == 0)
    return number(counted_units(from, to, unit->months, unit->days, zone_in(in[3])));
  return number(static_cast<std::int64_t>((Int128{to} - from) / unit->microseconds));
}

bool is_clock_time(Inputs in) {
  const bool is_midnight = in[0].integer == 24 && in[1].integer == 0 && in[2].real == 0;
  return is_midnight || (in[0].integer >= 0 && in[0].integer < 24 && in[1].integer >= 0 &&
                         in[1].integer < 60 && in[2].real >= 0 && in[2].real < 60);
}

Scalar clock_time(Inputs in) {
  if (!is_clock_time(in)) return Scalar::of(time_type, Int128{0});
  return Scalar::of(time_type, (in[0].integer * 60 + in[1].integer) * 60'000'000 +
                                   static_cast<Int128>(std::round(in[2].real * 1e6)));
}

Scalar time_of_timestamp(Inputs in) {
  return Scalar::of(time_type, Int128{floor_modulo(integer(in[0]), microseconds_per_day)});
}

Scalar formatted_instant(Inputs in) {
  return Scalar::of(format_instant(integer(in[0]), in[1].text, zone_in(in[2])));
}

std::vector<StringFunction> time_rows() {
  StringFunction make_time = zone_row("make_time", {int64_type, int64_type, float64_type},
                                      time_type, "the time of an hour, a minute and seconds",
                                      clock_time, is_clock_time, "make_time has no such time");
  make_time.sql_names = {"make_time"};
  return {make_time,
          zone_row(
              "time_of_timestamp", {timestamp_type}, time_type, "its time of day",
              time_of_timestamp, [](Inputs in) { return is_finite(integer(in[0])); },
              "an infinite timestamp has no time of day"),
          zone_row("time_or_null", {timestamp_type}, time_type, "its time of day, or NULL",
                   time_of_timestamp, [](Inputs in) { return is_finite(integer(in[0])); })};
}

}  // namespace

std::vector<StringFunction> zone_rows() {
  std::vector<StringFunction> all = {
      zone_row("local_timestamp", {instant_type, string_type}, timestamp_type,
               "what the clocks of a zone show",
               [](Inputs in) {
                 return Scalar::of(timestamp_type, Int128{zone_in(in[1]).local_of(integer(in[0]))});
               }),
      zone_row("instant_of_local", {timestamp_type, string_type}, instant_type,
               "when the clocks of a zone show it",
               [](Inputs in) { return instant(zone_in(in[1]).instant_of(integer(in[0]))); }),
      zone_row("start_of_minute_in_zone", {instant_type, string_type}, instant_type,
               "the start of its minute by the clocks of a zone", start_of_minute),
      zone_row("zone_offset", {instant_type, string_type}, int64_type,
               "the seconds of a zone east of UTC",
               [](Inputs in) { return number(zone_in(in[1]).offset_at(integer(in[0]))); }),
      instant_row<moved_instant<1>>("instant_plus_interval", {},
                                    {instant_type, interval_type, string_type}, "an interval later",
                                    leaves_instants),
      instant_row<moved_instant<-1>>("instant_minus_interval", {},
                                     {instant_type, interval_type, string_type},
                                     "an interval earlier", leaves_instants),
      instant_row<of_seconds>("to_timestamp", {"to_timestamp"}, {float64_type},
                              "the instant of seconds since 1970",
                              "seconds leave the range of TIMESTAMP WITH TIME ZONE"),
      instant_row<of_local_parts>(
          "instant_of_parts", {},
          {int64_type, int64_type, int64_type, int64_type, int64_type, float64_type, string_type},
          "the instant of a date and a time in a zone", "make_timestamptz has no such instant"),
      zone_row("interval_between_instants", {instant_type, instant_type, string_type},
               interval_type, "days and a time from the first to the second", between,
               are_finite_instants, "an infinite timestamp is subtracted"),
      zone_row("whole_units_in_zone", {string_type, instant_type, instant_type, string_type},
               int64_type, "whole units from the second to the third", whole_units_in_zone),
      zone_row("format_in_zone", {instant_type, string_type, string_type}, string_type,
               "an instant by a format", formatted_instant),
  };
  for (StringFunction& row : time_rows()) all.push_back(std::move(row));
  return all;
}

}  // namespace penstock::expr
