#include "expr/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "expr/calendar.hpp"
#include "expr/civil_moment.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t days_of_interval_month = 30;

constexpr IntervalUnit interval_parts[] = {{"millennium", 12000, 0, 0},
                                           {"century", 1200, 0, 0},
                                           {"decade", 120, 0, 0},
                                           {"year", 12, 0, 0},
                                           {"quarter", 3, 0, 0},
                                           {"month", 1, 0, 0},
                                           {"week", 0, 7, 0},
                                           {"day", 0, 1, 0},
                                           {"hour", 0, 0, 3'600'000'000},
                                           {"minute", 0, 0, 60'000'000},
                                           {"second", 0, 0, 1'000'000},
                                           {"millisecond", 0, 0, 1000},
                                           {"microsecond", 0, 0, 1}};

std::optional<std::int64_t> timestamp_within(Int128 microseconds) {
  const bool fits = microseconds < INT64_MAX && microseconds > -INT64_MAX;
  return fits ? std::optional(static_cast<std::int64_t>(microseconds)) : std::nullopt;
}

double rounded_to_microseconds(double value) { return std::rint(value * 1e6) / 1e6; }

// The same time of a local day that is so many months and days later.
std::optional<std::int64_t> months_by_clock(std::int64_t instant, std::int64_t months,
                                            const TimeZone& zone) {
  const auto target = timestamp_within(months_later(zone.local_of(instant), months));
  return target ? std::optional(zone.instant_of(*target)) : std::nullopt;
}

// Keeps the offset where clocks show the time twice.
std::optional<std::int64_t> days_by_clock(std::int64_t instant, std::int64_t days,
                                          const TimeZone& zone) {
  const std::int64_t local = zone.local_of(instant);
  const auto target = timestamp_within(local + Int128{days} * microseconds_per_day);
  if (!target) return std::nullopt;
  const auto same_offset = timestamp_within(Int128{*target} - (Int128{local} - instant));
  if (same_offset && zone.local_of(*same_offset) == *target) return same_offset;
  return zone.instant_of(*target);
}

}  // namespace

const IntervalUnit* interval_part_named(std::string_view name) {
  if (name == "isoyear") name = "year";
  const auto found = std::ranges::find(interval_parts, name, &IntervalUnit::name);
  return found == std::end(interval_parts) ? nullptr : &*found;
}

PackedInterval interval_in(const Scalar& value) {
  return column::PackedReader(value.text).interval();
}

Scalar interval_scalar(const PackedInterval& interval) {
  std::string bytes;
  column::put_interval(bytes, interval.months, interval.days, interval.microseconds);
  return Scalar::of(interval_type, std::move(bytes));
}

std::optional<PackedInterval> interval_of_parts(Int128 months, Int128 days, Int128 microseconds) {
  const auto is_within = [](Int128 value, std::int64_t low, std::int64_t high) {
    return value >= low && value <= high;
  };
  if (!is_within(months, INT32_MIN, INT32_MAX) || !is_within(days, INT32_MIN, INT32_MAX) ||
      !is_within(microseconds, INT64_MIN, INT64_MAX))
    return std::nullopt;
  return PackedInterval{static_cast<std::int32_t>(months), static_cast<std::int32_t>(days),
                        static_cast<std::int64_t>(microseconds)};
}

std::optional<PackedInterval> sum_of_intervals(const PackedInterval& a, const PackedInterval& b,
                                               int sign) {
  return interval_of_parts(a.months + Int128{sign} * b.months, a.days + Int128{sign} * b.days,
                           a.microseconds + Int128{sign} * b.microseconds);
}

std::optional<PackedInterval> multiplied(const PackedInterval& interval, std::int64_t factor) {
  if (factor < INT32_MIN || factor > INT32_MAX) return std::nullopt;
  return interval_of_parts(Int128{interval.months} * factor, Int128{interval.days} * factor,
                           Int128{interval.microseconds} * factor);
}

std::optional<PackedInterval> scaled(const PackedInterval& interval, double factor,
                                     bool is_divided) {
  const auto product = [&](double part) { return is_divided ? part / factor : part * factor; };
  const double all_months = product(interval.months), all_days = product(interval.days);
  const double months = std::trunc(all_months);
  const double of_months = rounded_to_microseconds((all_months - months) * days_of_interval_month);
  double days = std::trunc(all_days);
  double seconds =
      rounded_to_microseconds((all_days - days + of_months - std::trunc(of_months)) * 86400.0);
  if (std::abs(seconds) >= 86400) {
    const double more = std::trunc(seconds / 86400);
    days += more;
    seconds -= more * 86400;
  }
  days += std::trunc(of_months);
  const double time =
      std::rint(product(static_cast<double>(interval.microseconds)) + seconds * 1e6);
  const bool fits =
      std::abs(months) <= INT32_MAX && std::abs(days) <= INT32_MAX && std::abs(time) < 0x1p63;
  if (!fits) return std::nullopt;
  return PackedInterval{static_cast<std::int32_t>(months), static_cast<std::int32_t>(days),
                        static_cast<std::int64_t>(time)};
}

PackedInterval normalized(const PackedInterval& interval) {
  const std::int64_t more_days = floor_divide(interval.microseconds, microseconds_per_day);
  const std::int64_t all_days = std::int64_t{interval.days} + more_days +
                                std::int64_t{interval.months} * days_of_interval_month;
  const std::int64_t months = std::clamp<std::int64_t>(
      floor_divide(all_days, days_of_interval_month), INT32_MIN, INT32_MAX);
  const std::int64_t days =
      std::clamp<std::int64_t>(all_days - months * days_of_interval_month, INT32_MIN, INT32_MAX);
  return {static_cast<std::int32_t>(months), static_cast<std::int32_t>(days),
          floor_modulo(interval.microseconds, microseconds_per_day)};
}

std::optional<std::int64_t> moved(std::int64_t timestamp, const PackedInterval& interval,
                                  int sign) {
  if (!is_finite(timestamp)) return timestamp;
  Int128 moment = timestamp;
  if (interval.months != 0) moment = months_later(timestamp, sign * std::int64_t{interval.months});
  const auto day = timestamp_within(moment + Int128{sign} * interval.days * microseconds_per_day);
  return day ? timestamp_within(*day + Int128{sign} * interval.microseconds) : std::nullopt;
}

// DuckDB adds a negative time before months and days, and any other behind them.
std::optional<std::int64_t> moved_in_zone(std::int64_t instant, const PackedInterval& interval,
                                          int sign, const TimeZone& zone) {
  if (!is_finite(instant)) return instant;
  const Int128 time = Int128{sign} * interval.microseconds;
  std::optional<std::int64_t> moment = timestamp_within(instant + (time < 0 ? time : 0));
  if (moment && interval.months != 0)
    moment = months_by_clock(*moment, sign * std::int64_t{interval.months}, zone);
  if (moment && interval.days != 0)
    moment = days_by_clock(*moment, sign * std::int64_t{interval.days}, zone);
  return moment ? timestamp_within(*moment + (time < 0 ? 0 : time)) : std::nullopt;
}

PackedInterval between_timestamps(std::int64_t from, std::int64_t to) {
  const Int128 length = Int128{to} - from;
  return {0, static_cast<std::int32_t>(length / microseconds_per_day),
          static_cast<std::int64_t>(length % microseconds_per_day)};
}

// Whole days by the zone's clocks, and the time that is left.
PackedInterval between_instants(std::int64_t from, std::int64_t to, const TimeZone& zone) {
  if (from > to) {
    const PackedInterval back = between_instants(to, from, zone);
    return {0, -back.days, -back.microseconds};
  }
  PackedInterval interval = between_timestamps(zone.local_of(from), zone.local_of(to));
  for (; interval.days >= 0; interval.days--) {
    const auto day = moved_in_zone(from, {0, interval.days, 0}, 1, zone);
    if (!day || *day > to) continue;
    interval.microseconds = to - *day;
    return interval;
  }
  return {0, 0, to - from};
}

// A field below 0 borrows from the next larger field. Days are borrowed from the month of the
// second moment, or from that of the first if it is the earlier.
PackedInterval age_of(std::int64_t from, std::int64_t to) {
  const CivilMoment first(to), second(from);
  const int sign = to < from ? -1 : 1;
  std::int64_t months = sign * (first.month_number() - second.month_number());
  std::int64_t days = sign * (first.date.day - second.date.day);
  std::int64_t time = sign * (first.time - second.time);
  if (time < 0) {
    time += microseconds_per_day;
    days--;
  }
  const Civil& lender = sign < 0 ? first.date : second.date;
  while (days < 0) {
    days += days_of_month(lender.year, lender.month);
    months--;
  }
  return {static_cast<std::int32_t>(sign * months), static_cast<std::int32_t>(sign * days),
          sign * time};
}

std::optional<std::int64_t> part_of_interval(const PackedInterval& interval,
                                             std::string_view part) {
  const IntervalUnit* const unit = interval_part_named(part);
  if (!unit || part == "week" || part == "isoyear") return std::nullopt;
  if (part == "quarter") return interval.months % 12 / 3 + 1;
  if (part == "month") return interval.months % 12;
  if (unit->months != 0) return interval.months / unit->months;
  if (unit->days != 0) return interval.days;
  const std::int64_t within = part == "hour"     ? interval.microseconds
                              : part == "minute" ? interval.microseconds % 3'600'000'000
                                                 : interval.microseconds % 60'000'000;
  return within / unit->microseconds;
}

std::optional<PackedInterval> truncated_interval(const PackedInterval& interval,
                                                 std::string_view part) {
  const IntervalUnit* const unit = interval_part_named(part);
  if (!unit) return std::nullopt;
  PackedInterval cut = interval;
  cut.microseconds =
      unit->microseconds == 0 ? 0 : cut.microseconds - cut.microseconds % unit->microseconds;
  if (unit->days != 0) cut.days -= cut.days % static_cast<std::int32_t>(unit->days);
  if (unit->months == 0) return cut;
  cut.days = 0;
  cut.months -= cut.months % static_cast<std::int32_t>(unit->months);
  return cut;
}

}  // namespace penstock::expr
