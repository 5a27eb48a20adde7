// The rows of functions of intervals, and of times with them.
#include <cmath>

#include "expr/civil_moment.hpp"
#include "expr/construction.hpp"
#include "expr/intervals.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number, string_rows::real;

using MadeInterval = std::optional<PackedInterval>;

StringFunction interval_row(std::string_view name, std::vector<Type> inputs, Type result,
                            std::string_view doc, Scalar (*host)(Inputs),
                            bool (*fits)(Inputs) = nullptr, std::string_view fault = {}) {
  StringFunction made = string_rows::function_row(name, {}, std::move(inputs), result, doc, host);
  made.fits = fits, made.fault = fault;
  return made;
}

constexpr std::string_view leaves_intervals =
    "a part leaves the range of INTERVAL, or a division is by zero";

// A row whose result may leave the range of intervals.
template <MadeInterval (*made)(Inputs)>
StringFunction made_row(std::string_view name, std::vector<Type> inputs, std::string_view doc) {
  return interval_row(
      name, std::move(inputs), interval_type, doc,
      [](Inputs in) { return interval_scalar(made(in).value_or(PackedInterval{})); },
      [](Inputs in) { return made(in).has_value(); }, leaves_intervals);
}

MadeInterval of_parts(Inputs in) {
  return interval_of_parts(in[0].integer, in[1].integer, in[2].integer);
}
MadeInterval sum(Inputs in) { return sum_of_intervals(interval_in(in[0]), interval_in(in[1]), 1); }
MadeInterval difference(Inputs in) {
  return sum_of_intervals(interval_in(in[0]), interval_in(in[1]), -1);
}
MadeInterval multiple(Inputs in) { return multiplied(interval_in(in[0]), integer(in[1])); }
MadeInterval product(Inputs in) { return scaled(interval_in(in[0]), in[1].real, false); }
MadeInterval quotient(Inputs in) { return scaled(interval_in(in[0]), in[1].real, true); }

Int128 total_microseconds(const PackedInterval& interval) {
  return (Int128{interval.months} * 30 + interval.days) * microseconds_per_day +
         interval.microseconds;
}

bool has_total(Inputs in) {
  const Int128 total = total_microseconds(interval_in(in[0]));
  return total >= INT64_MIN && total <= INT64_MAX;
}

Scalar total(Inputs in) {
  return number(has_total(in) ? static_cast<std::int64_t>(total_microseconds(interval_in(in[0])))
                              : 0);
}

// A year has 365.25 days, and a month beside it 30.
Scalar seconds(Inputs in) {
  const PackedInterval interval = interval_in(in[0]);
  const double days = interval.months / 12 * 365.25 + interval.months % 12 * 30 + interval.days;
  return real(days * 86400.0 + static_cast<double>(interval.microseconds) / 1e6);
}

Scalar part(Inputs in) {
  return number(part_of_interval(interval_in(in[1]), in[0].text).value_or(0));
}
Scalar start(Inputs in) {
  return interval_scalar(
      truncated_interval(interval_in(in[1]), in[0].text).value_or(PackedInterval{}));
}

// The time of day moves around midnight. Months and days do not move it.
template <int sign> Scalar moved_time(Inputs in) {
  const std::int64_t by = interval_in(in[1]).microseconds % microseconds_per_day;
  return Scalar::of(time_type,
                    Int128{floor_modulo(integer(in[0]) + sign * by, microseconds_per_day)});
}

template <int sign> std::optional<std::int64_t> moved_timestamp(Inputs in) {
  return moved(integer(in[0]), interval_in(in[1]), sign);
}

template <int sign> StringFunction timestamp_row(std::string_view name, std::string_view doc) {
  return interval_row(
      name, {timestamp_type, interval_type}, timestamp_type, doc,
      [](Inputs in) {
        return Scalar::of(timestamp_type, Int128{moved_timestamp<sign>(in).value_or(0)});
      },
      [](Inputs in) { return moved_timestamp<sign>(in).has_value(); },
      "a sum leaves the range of TIMESTAMP");
}

bool are_finite(Inputs in) { return is_finite(integer(in[0])) && is_finite(integer(in[1])); }

std::vector<StringFunction> moment_rows() {
  return {
      timestamp_row<1>("plus_interval", "an interval later"),
      timestamp_row<-1>("minus_interval", "an interval earlier"),
      interval_row("time_plus_interval", {time_type, interval_type}, time_type, "an interval later",
                   moved_time<1>),
      interval_row("time_minus_interval", {time_type, interval_type}, time_type,
                   "an interval earlier", moved_time<-1>),
      interval_row(
          "interval_between", {timestamp_type, timestamp_type}, interval_type,
          "days and a time from the first to the second",
          [](Inputs in) {
            return interval_scalar(are_finite(in)
                                       ? between_timestamps(integer(in[0]), integer(in[1]))
                                       : PackedInterval{});
          },
          are_finite, "an infinite timestamp is subtracted"),
      interval_row(
          "interval_of_age", {timestamp_type, timestamp_type}, interval_type,
          "years, months, days and a time from the first to the second",
          [](Inputs in) {
            return interval_scalar(are_finite(in) ? age_of(integer(in[0]), integer(in[1]))
                                                  : PackedInterval{});
          },
          are_finite),
  };
}

}  // namespace

std::vector<StringFunction> interval_rows() {
  std::vector<StringFunction> all = {
      made_row<of_parts>("interval_of_parts", {int64_type, int64_type, int64_type},
                         "the interval of months, days and microseconds"),
      made_row<sum>("interval_sum", {interval_type, interval_type}, "the sum of two intervals"),
      made_row<difference>("interval_difference", {interval_type, interval_type},
                           "the difference of two intervals"),
      made_row<multiple>("interval_multiple", {interval_type, int64_type},
                         "an interval so many times"),
      made_row<product>("interval_product", {interval_type, float64_type},
                        "an interval so many times"),
      made_row<quotient>("interval_quotient", {interval_type, float64_type},
                         "a part of an interval"),
      interval_row("interval_normalized", {interval_type}, interval_type,
                   "the equal interval with days below 30 and a time below 24 hours",
                   [](Inputs in) { return interval_scalar(normalized(interval_in(in[0]))); }),
      interval_row("interval_part", {string_type, interval_type}, int64_type,
                   "a part of an interval", part),
      interval_row("interval_start", {string_type, interval_type}, interval_type,
                   "an interval without what is smaller than a part", start),
      interval_row("interval_seconds", {interval_type}, float64_type, "its seconds", seconds),
      interval_row("interval_microseconds", {interval_type}, int64_type, "its microseconds", total,
                   has_total, "an interval has more microseconds than BIGINT holds"),
  };
  all[6].sql_names = {"normalized_interval"};
  for (StringFunction& row : moment_rows()) all.push_back(std::move(row));
  return all;
}

}  // namespace penstock::expr
