// Reads TZif files (RFC 9636), in which systems keep the rules of time zones.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::expr {

// A day of each year, and the seconds from its midnight on by the clock that ends then.
struct YearlyChange {
  enum class Kind : unsigned char {
    of_month,          // the week's day `weekday` for the `week`th time, 5: the last time
    of_year,           // day 0 to 365
    without_leap_day,  // day 1 to 365; 29 February has no number
  };
  Kind kind = Kind::of_month;
  int month = 0, week = 0, weekday = 0, day = 0;
  std::int64_t seconds = 7200;
};

// The offsets behind the last change that a file lists: "EST5EDT,M3.2.0,M11.1.0".
struct YearlyRule {
  std::int32_t standard = 0, summer = 0;   // seconds east of UTC
  std::optional<YearlyChange> begin, end;  // of summer time; none: it is never
};

// Offsets are seconds east of UTC, and times seconds since 1970.
struct ZoneRules {
  std::vector<std::int64_t> changes;  // in order
  std::vector<std::int32_t> offsets;  // one more: before the first change, then from each on
  std::optional<YearlyRule> rule;     // from the last change on

  std::int32_t offset_at(std::int64_t seconds) const;
};

// Reads a file's bytes, which are not trusted.
Result<ZoneRules> read_tz_file(std::string_view bytes);
// Reads the rule at the end of a file; nullopt where it is none.
std::optional<YearlyRule> read_yearly_rule(std::string_view text);
// Returns the seconds east of UTC at a time, by the rule alone.
std::int32_t offset_by(const YearlyRule& rule, std::int64_t seconds);

}  // namespace penstock::expr
