// range() and generate_series(): rows of numbers or times, each a step behind the one before.
#include <algorithm>
#include <optional>
#include <vector>

#include "expr/calendar.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

// A series is a table in memory.
constexpr std::size_t max_series_rows = std::size_t{1} << 27;
constexpr std::int64_t day_microseconds = 86'400'000'000;

struct SeriesStep {
  std::int64_t months = 0, days = 0, units = 0;  // units: numbers or microseconds
  bool is_negative() const { return months < 0 || days < 0 || units < 0; }
  bool is_none() const { return months == 0 && days == 0 && units == 0; }
  bool has_both_signs() const { return is_negative() && (months > 0 || days > 0 || units > 0); }
};

std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

// The day of a month that is too short is its last one, as DuckDB adds months.
std::int64_t with_months(std::int64_t time, std::int64_t months) {
  const expr::Civil date = expr::civil_of_days(expr::floor_divide(time, day_microseconds));
  const auto first_of = [&](std::int64_t number) {  // of months since year 0
    return expr::days_of_civil(expr::floor_divide(number, 12),
                               static_cast<int>(expr::floor_modulo(number, 12)) + 1, 1);
  };
  const std::int64_t month = date.year * 12 + date.month - 1 + months;
  const std::int64_t day = std::min(first_of(month) + date.day, first_of(month + 1)) - 1;
  return day * day_microseconds + expr::floor_modulo(time, day_microseconds);
}

std::optional<std::int64_t> next_value(std::int64_t value, const SeriesStep& step) {
  if (step.months != 0) value = with_months(value, step.months);
  std::int64_t of_days = 0;
  if (__builtin_mul_overflow(step.days, day_microseconds, &of_days)) return std::nullopt;
  const auto with_days = sum(value, of_days);
  return with_days ? sum(*with_days, step.units) : std::nullopt;
}

// Returns nothing for a series of too many rows.
std::optional<std::vector<std::int64_t>> series(std::int64_t first, std::int64_t last,
                                                const SeriesStep& step, bool has_last) {
  std::vector<std::int64_t> values;
  std::optional<std::int64_t> value = first;
  const auto is_before_end = [&](std::int64_t at) {
    return (step.is_negative() ? at > last : at < last) || (has_last && at == last);
  };
  while (value && is_before_end(*value)) {
    if (values.size() == max_series_rows) return std::nullopt;
    values.push_back(*value);
    value = next_value(*value, step);
  }
  return values;
}

SeriesStep step_of(const Tree& parameter) {
  const Tree value = parameter["value"];
  if (parameter["type"]["id"].text() == "INTERVAL")
    return {value["months"].integer(), value["days"].integer(), value["micros"].integer()};
  return {0, 0, value.integer()};
}

}  // namespace

// range(end), or range(first, end) with a step of 1, or all three. generate_series() has its end.
Result<PlanRows> PlanReader::series_rows(const Tree& plan, bool has_last) {
  const Tree parameters = plan["parameters"];
  const std::optional<Type> type = type_of_json(plan["returned_types"].at(0));
  const bool is_time = type == Type{Kind::timestamp};
  if (parameters.size() < 1 || parameters.size() > 3 || !(is_time || type == Type{Kind::int64}))
    return refuse(plan, "this form of range() in DuckDB's plan");
  std::vector<std::int64_t> values;
  bool is_null = false;
  for (std::size_t i = 0; i < parameters.size(); i++)
    is_null |= parameters.at(i)["is_null"].boolean();
  if (!is_null) {
    const std::size_t end = parameters.size() == 1 ? 0 : 1;
    const std::int64_t first = end == 0 ? 0 : parameters.at(0)["value"].integer();
    const SeriesStep step =
        parameters.size() == 3 ? step_of(parameters.at(2)) : SeriesStep{0, 0, 1};
    if (step.is_none() || step.has_both_signs())
      return Status(Code::invalid, "the step of range() is zero, or of both signs");
    auto found = series(first, parameters.at(end)["value"].integer(), step, has_last);
    if (!found) return refuse(plan, "range() of more than 134,217,728 rows");
    values = *std::move(found);
  }
  Table table;
  table.row_count = values.size();
  table.names.emplace_back(plan["names"].at(0).text());
  table.columns.push_back(Column::from(std::move(values)));
  table.columns[0].type = *type;
  PlanRows rows{relations_.scan(table_source(std::move(table), "range")), {}};
  rows.columns.resize(std::max<std::size_t>(plan["column_indexes"].size(), 1));
  PENSTOCK_ASSIGN(rows, filtered_scan(std::move(rows), plan));
  return rows;
}

}  // namespace penstock::sql
