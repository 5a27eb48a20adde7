#include "session/statements/summarize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "expr/operation.hpp"
#include "penstock/expression.hpp"
#include "session/statements/column_values.hpp"

namespace penstock::session {
namespace {

using Texts = std::vector<std::optional<std::string>>;
constexpr std::int64_t microseconds_per_day = 86'400'000'000;

std::string text_of_real(double value) { return text_of(Scalar::of(value)); }

// The summary of one column.
struct Summary {
  std::optional<std::string> minimum, maximum, average, deviation;
  std::array<std::optional<std::string>, 3> quantiles = {};
  std::int64_t distinct_count = 0;
};

// Returns the position of the smallest value that has a share of n values at or below it.
std::size_t quantile_index(std::size_t count, std::size_t quarter) {
  return (count * quarter + 3) / 4 - 1;
}

template <class T> std::size_t count_distinct(const std::vector<T>& sorted) {
  std::size_t count = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); i++) count += sorted[i - 1] != sorted[i];
  return count;
}

Scalar scalar_of(Type type, Int128 value) { return Scalar::of(type, value); }
Scalar scalar_of(Type type, double value) { return Scalar::of(type, value); }
Scalar scalar_of(Type type, std::string_view text) { return Scalar::of(type, std::string(text)); }

// Fills in what every sorted column has. Booleans and strings have no quantiles.
template <class T> Summary summary_of(Type type, const std::vector<T>& sorted) {
  Summary summary;
  summary.distinct_count = static_cast<std::int64_t>(count_distinct(sorted));
  if (sorted.empty()) return summary;
  const auto text_at = [&](std::size_t i) { return text_of(scalar_of(type, sorted[i])); };
  summary.minimum = text_at(0);
  summary.maximum = text_at(sorted.size() - 1);
  if (type.kind == Kind::boolean || type.kind == Kind::string) return summary;
  for (std::size_t quarter = 1; quarter <= 3; quarter++)
    summary.quantiles[quarter - 1] = text_at(quantile_index(sorted.size(), quarter));
  return summary;
}

// Averages by an exact sum if there is one; the average of dates may be a time within a day.
std::optional<std::string> average_of(Type type, const std::vector<Int128>& values) {
  if (values.empty() || type.kind == Kind::boolean) return std::nullopt;
  Int128 sum = 0;
  double rounded_sum = 0;
  bool is_exact = true;
  for (const Int128 value : values) {
    is_exact = is_exact && !__builtin_add_overflow(sum, value, &sum);
    rounded_sum += static_cast<double>(value);
  }
  const auto count = static_cast<Int128>(values.size());
  if (type.kind == Kind::date32)
    return text_of(Scalar::of(Type{Kind::timestamp}, sum * microseconds_per_day / count));
  if (type.kind == Kind::timestamp) return text_of(Scalar::of(type, sum / count));
  const double unit = std::pow(10.0, type.kind == Kind::decimal ? type.scale : 0);
  return text_of_real((is_exact ? static_cast<double>(sum) : rounded_sum) / unit /
                      static_cast<double>(values.size()));
}

std::optional<std::string> average_of(Type, const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return text_of_real(sum / static_cast<double>(values.size()));
}

// Returns the sample's standard deviation by Welford's method, in the order of the rows, as DuckDB
// does.
template <class T>
std::optional<std::string> deviation_of(Type type, const std::vector<T>& values) {
  if (values.size() < 2 || !is_numeric(type)) return std::nullopt;
  const double unit = std::pow(10.0, type.kind == Kind::decimal ? type.scale : 0);
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); i++) {
    const double value = static_cast<double>(values[i]) / unit, before = mean;
    mean += (value - before) / static_cast<double>(i + 1);
    squares += (value - before) * (value - mean);
  }
  return text_of_real(std::sqrt(squares / (count - 1)));
}

template <class T> Summary summarize_numbers(Type type, std::vector<T>& values) {
  std::optional<std::string> average = average_of(type, values);
  std::optional<std::string> deviation = deviation_of(type, values);
  if constexpr (std::is_same_v<T, double>)
    std::ranges::sort(values, [](double a, double b) {  // NaN is above every number
      return std::isnan(b) ? !std::isnan(a) : a < b;
    });
  else
    std::ranges::sort(values);
  Summary summary = summary_of(type, values);
  summary.average = std::move(average);
  summary.deviation = std::move(deviation);
  return summary;
}

Summary summarize_values(ColumnValues& values) {
  if (is_float(values.type)) return summarize_numbers(values.type, values.reals);
  if (values.type.kind != Kind::string) return summarize_numbers(values.type, values.integers);
  std::ranges::sort(values.texts);
  return summary_of(values.type, values.texts);
}

// The rows of the answer, a column of it each.
struct Rows {
  Texts name, type, minimum, maximum, average, deviation;
  std::array<Texts, 3> quantiles;
  std::vector<std::int64_t> distinct, count;
  std::vector<Scalar> nulls;

  void add(const Field& field, std::uint64_t row_count, std::uint64_t null_count, Summary summary) {
    name.emplace_back(field.name);
    type.emplace_back(name_of(field.type));
    minimum.push_back(std::move(summary.minimum));
    maximum.push_back(std::move(summary.maximum));
    average.push_back(std::move(summary.average));
    deviation.push_back(std::move(summary.deviation));
    for (std::size_t i = 0; i < quantiles.size(); i++)
      quantiles[i].push_back(std::move(summary.quantiles[i]));
    distinct.push_back(summary.distinct_count);
    count.push_back(static_cast<std::int64_t>(row_count));
    const Type percentage = Type::decimal(9, 2);
    nulls.push_back(row_count == 0
                        ? Scalar::null_of(percentage)
                        : Scalar::of(percentage, (Int128{null_count} * 20'000 + row_count) /
                                                     (Int128{row_count} * 2)));
  }

  Table table() const {
    const auto texts = [](const Texts& column) { return Column::from_strings(column); };
    return Table::of({{"column_name", texts(name)},
                      {"column_type", texts(type)},
                      {"min", texts(minimum)},
                      {"max", texts(maximum)},
                      {"approx_unique", Column::from(distinct)},
                      {"avg", texts(average)},
                      {"std", texts(deviation)},
                      {"q25", texts(quantiles[0])},
                      {"q50", texts(quantiles[1])},
                      {"q75", texts(quantiles[2])},
                      {"count", Column::from(count)},
                      {"null_percentage", column_of(Type::decimal(9, 2), nulls)}});
  }
};

}  // namespace

Result<Table> summarize(const TableSource& source) {
  Rows rows;
  const Schema& schema = source.schema();
  for (std::uint32_t column = 0; column < schema.size(); column++) {
    PENSTOCK_ASSIGN(ColumnValues values, read_values(source, column));
    const std::uint64_t row_count = values.row_count, null_count = values.null_count;
    rows.add(schema[column], row_count, null_count, summarize_values(values));
  }
  return rows.table();
}

}  // namespace penstock::session
