// Moments by the calendar: what functions of dates, timestamps and intervals share.
#pragma once
#include <cstdint>

#include "expr/calendar.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {

inline constexpr std::int64_t months_per_year = 12;

inline bool is_finite(std::int64_t microseconds) {
  return !is_infinite({Kind::timestamp}, microseconds);
}

int days_of_month(std::int64_t year, int month);

// A timestamp as a date and a time of its day.
struct CivilMoment {
  explicit CivilMoment(std::int64_t microseconds);
  std::int64_t month_number() const { return date.year * months_per_year + date.month - 1; }
  bool is_last_of_month() const { return date.day == days_of_month(date.year, date.month); }
  std::int64_t days, time;
  Civil date;
};

// The same day and time in another month, or that month's last day. A sum beyond 64 bits leaves the
// range of timestamps.
Int128 months_later(std::int64_t microseconds, std::int64_t months);
// Months from one moment to a later one, each whole. The last day of a month is as late as any.
std::int64_t whole_months(std::int64_t from, std::int64_t to);

}  // namespace penstock::expr
