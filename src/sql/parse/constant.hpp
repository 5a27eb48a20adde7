// Literals as values: numbers, dates, timestamps and intervals, as DuckDB reads them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "penstock/expression.hpp"
#include "penstock/status.hpp"

namespace penstock::sql {

// "2": INTEGER; "3000000000": BIGINT; up to 2^64 - 1: UBIGINT; "0.05": DECIMAL(3,2) (each digit
// counts, as DuckDB's lexer has it); "1e3": DOUBLE. Underscores between digits are skipped. More
// digits than 18 (decimal) or 20 are refused by name.
Result<Scalar> number_literal(std::string_view text);

// "1998-09-02", with '/' or single digits too, or "infinity" or "-infinity". nullopt: not a date,
// or one that the calendar lacks.
std::optional<std::int32_t> parse_date(std::string_view text);
// A date, or a date, a blank or T, and hours:minutes[:seconds[.fraction]]; digits after the sixth
// are cut, a trailing Z is read.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

// A span of the calendar: its parts are added one after another, months first; a month's last day
// clips the day.
struct Interval {
  std::int64_t months = 0, days = 0, microseconds = 0;
};
// `unit` "" : "3 months", "1 year 2 days", "04:05:06.7". With a unit: a number of it, cut to a
// whole one as DuckDB does.
std::optional<Interval> parse_interval(std::string_view text, std::string_view unit);
// Microseconds since 1970; nullopt when the result leaves the range of years 1 to 9999 or of the
// type.
std::optional<std::int64_t> add(std::int64_t microseconds, const Interval& interval, int sign);

// Text as an integer, a DECIMAL or a float, as DuckDB casts it: "12.5" is the INTEGER 13, "1e2" the
// DECIMAL 100. nullopt: it is none.
std::optional<Scalar> parse_number(Type type, std::string_view text);
// A string literal as another type: DATE, TIMESTAMP, BOOLEAN, an integer, a DECIMAL or a float.
// nullopt: it is not one.
std::optional<Scalar> parse_as(Type type, std::string_view text);

// What both readers of text above begin with.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Takes one character off the front, if it is that one.
inline bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

inline constexpr std::int64_t microseconds_per_day = 86'400'000'000;

}  // namespace penstock::sql
