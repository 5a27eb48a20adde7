#include "expr/civil_moment.hpp"

#include <algorithm>
#include <cstdlib>

namespace penstock::expr {
namespace {

constexpr std::int64_t largest_year = 300'000;

}  // namespace

int days_of_month(std::int64_t year, int month) {
  const std::int64_t next =
      month == 12 ? days_of_civil(year + 1, 1, 1) : days_of_civil(year, month + 1, 1);
  return static_cast<int>(next - days_of_civil(year, month, 1));
}

CivilMoment::CivilMoment(std::int64_t microseconds)
    : days(floor_divide(microseconds, microseconds_per_day)),
      time(floor_modulo(microseconds, microseconds_per_day)),
      date(civil_of_days(days)) {}

Int128 months_later(std::int64_t microseconds, std::int64_t months) {
  const CivilMoment from(microseconds);
  const std::int64_t month = from.month_number() + months,
                     year = floor_divide(month, months_per_year);
  if (std::abs(year) > largest_year) return Int128{1} << 64;
  const int in_year = static_cast<int>(floor_modulo(month, months_per_year)) + 1;
  const std::int64_t days =
      days_of_civil(year, in_year, std::min(from.date.day, days_of_month(year, in_year)));
  return Int128{days} * microseconds_per_day + from.time;
}

std::int64_t whole_months(std::int64_t from, std::int64_t to) {
  if (from > to) return -whole_months(to, from);
  const CivilMoment first(from), last(to);
  const int day =
      last.is_last_of_month() ? std::min(first.date.day, last.date.day) : first.date.day;
  const bool is_short = last.date.day < day || (last.date.day == day && last.time < first.time);
  return last.month_number() - first.month_number() - (is_short ? 1 : 0);
}

}  // namespace penstock::expr
