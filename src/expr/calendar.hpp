// The proleptic Gregorian calendar in integers: the host's twin of civil_year and its kin in
// operations.kc. Year 0 is 1 BC.
//
// The computation shifts the year's start to 1 March, so that the leap day is the last of its year
// and month lengths follow one linear formula; eras are the 400 years after which the calendar
// repeats (E. G. Richards, "Mapping Time", 1998, ch. 25).
#pragma once
#include <cstdint>

namespace penstock::expr {

struct Civil {
  std::int64_t year;
  int month, day;
};

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}  // b > 0
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

constexpr std::int64_t days_per_era = 146097,
                       days_before_1970 = 719468;  // from 0000-03-01 to 1970-01-01

constexpr Civil civil_of_days(std::int64_t days) {
  const std::int64_t shifted = days + days_before_1970;
  const std::int64_t era = floor_divide(shifted, days_per_era),
                     day_of_era = floor_modulo(shifted, days_per_era);
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);  // from 1 March
  const int month_from_march = static_cast<int>((5 * day_of_year + 2) / 153);
  const int month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1)};
}

constexpr std::int64_t days_of_civil(std::int64_t year, int month, int day) {
  const std::int64_t shifted_year = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = floor_divide(shifted_year, 400),
                     year_of_era = floor_modulo(shifted_year, 400);
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * days_per_era + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
         day_of_year - days_before_1970;
}

}  // namespace penstock::expr
