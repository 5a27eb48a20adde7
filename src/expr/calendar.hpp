// The proleptic Gregorian calendar on the host: the twin of civil_year and its like in
// operations.kc. Year 0 is 1 BC.
//
// std::chrono computes dates, but its years end at 32767, and a DATE's 32-bit days reach year
// 5,881,580. The calendar repeats after an era of 400 years, so days are reduced to one era first.
#pragma once
#include <chrono>
#include <cstdint>
#include <string_view>

namespace penstock::expr {

struct Civil {
  std::int64_t year;
  int month, day;
};

inline constexpr std::string_view day_names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                 "Thursday", "Friday", "Saturday"};
inline constexpr std::string_view month_names[] = {"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}  // b > 0
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

constexpr std::int64_t years_per_era = 400, days_per_era = 146097;

// Returns the date of a day counted from 1970-01-01.
constexpr Civil civil_of_days(std::int64_t days) {
  using namespace std::chrono;
  const sys_days day_of_era{std::chrono::days{floor_modulo(days, days_per_era)}};
  const year_month_day date{day_of_era};  // from 1970-01-01 to 2369-12-31
  return {int{date.year()} + floor_divide(days, days_per_era) * years_per_era,
          static_cast<int>(unsigned{date.month()}), static_cast<int>(unsigned{date.day()})};
}

// Returns the days from 1970-01-01 to a date, `month` from 1 to 12.
constexpr std::int64_t days_of_civil(std::int64_t year, int month, int day) {
  using namespace std::chrono;
  const sys_days first{std::chrono::year{static_cast<int>(floor_modulo(year, years_per_era))} /
                       month / 1};
  return floor_divide(year, years_per_era) * days_per_era + first.time_since_epoch().count() + day -
         1;
}

}  // namespace penstock::expr
