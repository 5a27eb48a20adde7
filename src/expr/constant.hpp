// Reads constants written as text as DuckDB does: numbers, dates, timestamps and intervals.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "expr/operation.hpp"
#include "penstock/expression.hpp"
#include "penstock/status.hpp"

namespace penstock::expr {

// Returns the value of a number as written. "2": INTEGER; "3000000000": BIGINT; up to 2^64 - 1:
// UBIGINT; "0.05": DECIMAL(3,2) (each digit counts, as DuckDB's lexer has it); "1e3": DOUBLE.
// Underscores between digits are skipped. More digits than 18 (decimal) or 20 are refused by name.
Result<Scalar> number_literal(std::string_view text);

// "1998-09-02", with '/' or single digits too, "0044-03-15 (BC)", or "infinity", "-inf" and their
// like. nullopt: not a date, or one that the calendar lacks.
std::optional<std::int32_t> parse_date(std::string_view text);
// Reads a date, or a date, a space or T, and hours:minutes[:seconds[.fraction]]; digits after the
// sixth are cut, a trailing Z is read.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

// Passes over a time zone behind the time, too.
std::optional<std::int64_t> parse_timestamp_without_zone(std::string_view text);

// A calendar interval. Its parts are added in turn, months first; a day beyond the month's end
// becomes its last day.
struct Interval {
  std::int64_t months = 0, days = 0, microseconds = 0;
};
// Reads "3 months", "1.5 years 2 days ago" or "04:05:06.7" where `unit` is "". Else reads a number
// of units and truncates it, as DuckDB does.
std::optional<Interval> parse_interval(std::string_view text, std::string_view unit);
// Adds or subtracts an interval; nullopt when the result leaves the years 1 to 9999. Times are
// microseconds since 1970.
std::optional<std::int64_t> add(std::int64_t microseconds, const Interval& interval, int sign);

// Casts a string to an integer, a DECIMAL or a float as DuckDB does: "12.5" is the INTEGER 13,
// "1e2" the DECIMAL 100. nullopt where it is not a number.
std::optional<Scalar> parse_number(Type type, std::string_view text);
// Casts a string literal to DATE, TIMESTAMP, BOOLEAN, an integer, a DECIMAL or a float; nullopt
// where it is not one.
std::optional<Scalar> parse_as(Type type, std::string_view text);

// Removes blanks from both ends.
std::string_view trim(std::string_view text);
// Removes one to `max_count` digits from the front and returns their value.
std::optional<std::int64_t> take_digits(std::string_view& text, int max_count);
// Removes hours:minutes[:seconds[.fraction]] from the front and returns the microseconds.
std::optional<std::int64_t> take_time(std::string_view& text, int hour_digits);
// Removes the first character if it is `c`.
inline bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace penstock::expr
