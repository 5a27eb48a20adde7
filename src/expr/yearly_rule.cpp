// The rule at the end of a TZif file, as POSIX has it for the variable TZ.
#include <algorithm>

#include "base/ascii.hpp"
#include "expr/calendar.hpp"
#include "expr/constant.hpp"
#include "expr/tz_file.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t day_seconds = 86400;

// Reads the parts of a rule from the front of a text.
class RuleText {
 public:
  explicit RuleText(std::string_view text) : left_(text) {}

  bool is_at_end() const { return left_.empty(); }
  bool literal(char c) { return take(left_, c); }

  // "EST" or "<+03>"
  bool name() {
    const bool is_quoted = literal('<');
    const auto is_part = [&](char c) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return is_letter || (is_quoted && (is_digit(c) || c == '+' || c == '-'));
    };
    std::size_t length = 0;
    while (length < left_.size() && is_part(left_[length])) length++;
    left_.remove_prefix(length);
    return length >= 3 && (!is_quoted || literal('>'));
  }

  std::optional<int> number(int limit) {
    int value = 0, count = 0;
    for (; !left_.empty() && is_digit(left_.front()) && count < 3; count++) {
      value = value * 10 + (left_.front() - '0');
      left_.remove_prefix(1);
    }
    return count > 0 && value <= limit ? std::optional(value) : std::nullopt;
  }

  // "-3:30": hours, minutes and seconds
  std::optional<std::int32_t> duration(int most_hours) {
    const bool is_negative = literal('-');
    if (!is_negative) literal('+');
    const std::optional<int> hours = number(most_hours);
    if (!hours) return std::nullopt;
    std::int32_t seconds = *hours * 3600;
    for (const int unit : {60, 1}) {
      if (!literal(':')) break;
      const std::optional<int> part = number(59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return is_negative ? -seconds : seconds;
  }

  // ",M3.2.0/2", ",J60" or ",59"
  std::optional<YearlyChange> change() {
    YearlyChange change;
    if (!literal(',') || !day_of(change)) return std::nullopt;
    if (literal('/')) {
      const std::optional<std::int32_t> seconds = duration(167);
      if (!seconds) return std::nullopt;
      change.seconds = *seconds;
    }
    return change;
  }

 private:
  bool day_of(YearlyChange& change) {
    if (literal('M')) {
      const std::optional<int> month = number(12);
      const std::optional<int> week = literal('.') ? number(5) : std::nullopt;
      const std::optional<int> weekday = literal('.') ? number(6) : std::nullopt;
      if (!month || !week || !weekday || *month < 1 || *week < 1) return false;
      change.month = *month, change.week = *week, change.weekday = *weekday;
      return true;
    }
    const bool has_no_leap_day = literal('J');
    const std::optional<int> day = number(365);
    if (!day || (has_no_leap_day && *day == 0)) return false;
    change.kind =
        has_no_leap_day ? YearlyChange::Kind::without_leap_day : YearlyChange::Kind::of_year;
    change.day = *day;
    return true;
  }

  std::string_view left_;
};

std::int64_t day_of_change(const YearlyChange& change, std::int64_t year) {
  const std::int64_t first = days_of_civil(year, 1, 1);
  if (change.kind == YearlyChange::Kind::of_year) return first + change.day;
  if (change.kind == YearlyChange::Kind::without_leap_day) {
    const bool is_leap_year = days_of_civil(year, 3, 1) - first == 60;
    return first + change.day - 1 + (is_leap_year && change.day > 59 ? 1 : 0);
  }
  const std::int64_t month = days_of_civil(year, change.month, 1);
  const std::int64_t next =
      change.month == 12 ? days_of_civil(year + 1, 1, 1) : days_of_civil(year, change.month + 1, 1);
  const std::int64_t day =
      month + floor_modulo(change.weekday - floor_modulo(month + 4, 7), 7) + 7 * (change.week - 1);
  return day < next ? day : day - 7;
}

std::int64_t moment_of_change(const YearlyChange& change, std::int64_t year, std::int32_t offset) {
  return day_of_change(change, year) * day_seconds + change.seconds - offset;
}

}  // namespace

// Microseconds since 1970 have seconds that are far from the ends of 64 bits.
std::int32_t offset_by(const YearlyRule& rule, std::int64_t seconds) {
  if (!rule.begin || !rule.end) return rule.standard;
  const std::int64_t year = civil_of_days(floor_divide(seconds + rule.standard, day_seconds)).year;
  const std::int64_t begin = moment_of_change(*rule.begin, year, rule.standard),
                     end = moment_of_change(*rule.end, year, rule.summer);
  const bool is_summer =
      begin < end ? seconds >= begin && seconds < end : seconds >= begin || seconds < end;
  return is_summer ? rule.summer : rule.standard;
}

// POSIX counts offsets to the west. Summer time is an hour ahead unless the rule says more.
std::optional<YearlyRule> read_yearly_rule(std::string_view text) {
  constexpr int most_hours = 24;
  RuleText from(text);
  YearlyRule rule;
  if (!from.name()) return std::nullopt;
  const std::optional<std::int32_t> west = from.duration(most_hours);
  if (!west) return std::nullopt;
  rule.standard = -*west;
  if (from.is_at_end()) return rule;
  if (!from.name()) return std::nullopt;
  rule.summer = rule.standard + 3600;
  RuleText ahead = from;
  if (const std::optional<std::int32_t> summer = ahead.duration(most_hours)) {
    rule.summer = -*summer;
    from = ahead;
  }
  rule.begin = from.change();
  rule.end = rule.begin ? from.change() : std::nullopt;
  return rule.end && from.is_at_end() ? std::optional(rule) : std::nullopt;
}

}  // namespace penstock::expr
