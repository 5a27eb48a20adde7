// Extremes of every type of 64 bits by key, beside sums: rows, the step, and what it should yield.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "penstock/expression.hpp"
#include "penstock/run.hpp"

namespace penstock::test {

struct ExtremeRow {
  std::int64_t key;
  std::optional<std::int64_t> integer;
  std::uint64_t word;
  std::optional<double> real;
  std::int64_t price, moment;
  std::int32_t added;
};

// The least and the greatest value, by a comparison in which NaN is above every number, and -0.0
// below 0.0.
template <class T> struct LeastAndGreatest {
  std::optional<T> least, greatest;
  static bool less(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
      if (a == b) return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
  }
  void add(T value) {
    if (!least || less(value, *least)) least = value;
    if (!greatest || less(*greatest, value)) greatest = value;
  }
};

struct ExtremesOfKey {
  LeastAndGreatest<std::int64_t> integer, price, moment;
  LeastAndGreatest<std::uint64_t> word;
  LeastAndGreatest<double> real;
  std::int64_t sum = 0, rows = 0;
};

// Rows of `keys` keys, in no order; keys are far apart unless they are `near`. Extremes of the
// types are among the values, as are both zeros, infinities and NaN.
inline std::vector<ExtremeRow> extreme_rows(std::size_t rows, std::uint64_t keys, bool near) {
  std::mt19937_64 numbers(rows + keys);
  const double reals[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-1074, -1e300};
  std::vector<ExtremeRow> all(rows);
  for (ExtremeRow& row : all) {
    const auto key = static_cast<std::int64_t>(numbers() % keys) - 40;
    row.key = near ? key : key * 1'000'000'007'000;
    const std::uint64_t chosen = numbers() % 16, word = numbers();
    if (chosen != 0)
      row.integer = chosen == 1   ? INT64_MIN
                    : chosen == 2 ? INT64_MAX
                                  : static_cast<std::int64_t>(word);
    row.word = chosen == 3 ? 0 : chosen == 4 ? UINT64_MAX : numbers() >> (numbers() % 64);
    if (chosen != 5)
      row.real = numbers() % 8 == 0 ? reals[numbers() % 7]
                                    : std::ldexp(static_cast<double>(word), -60) - 8;
    row.price = static_cast<std::int64_t>(word % 2'000'000'000'000'000) - 999'999'999'999'999;
    row.moment = static_cast<std::int64_t>(numbers() % (1ull << 52)) - (1ll << 51);
    row.added = static_cast<std::int32_t>(numbers());
  }
  return all;
}

template <class Value>
auto column_of_field(const std::vector<ExtremeRow>& rows, Value ExtremeRow::* field) {
  std::vector<Value> values;
  for (const ExtremeRow& row : rows) values.push_back(row.*field);
  return Column::from(std::move(values));
}

inline Table extreme_table(const std::vector<ExtremeRow>& rows) {
  Column price = column_of_field(rows, &ExtremeRow::price),
         moment = column_of_field(rows, &ExtremeRow::moment);
  price.type = Type::decimal(15, 2);
  moment.type = {Kind::timestamp};
  return Table::of({{"key", column_of_field(rows, &ExtremeRow::key)},
                    {"integer", column_of_field(rows, &ExtremeRow::integer)},
                    {"word", column_of_field(rows, &ExtremeRow::word)},
                    {"real", column_of_field(rows, &ExtremeRow::real)},
                    {"price", price},
                    {"moment", moment},
                    {"added", column_of_field(rows, &ExtremeRow::added)}});
}

// Extremes of columns 1 to 5 in turn, then sum(added) and count(*), by key.
inline Result<StepId> extremes_by_key(Plan& plan, const Table& table) {
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  std::vector<AggregateCall> calls;
  for (std::uint32_t c = 1; c <= 5; c++)
    for (const Aggregate function : {Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, b.column(c), "x", nullptr});
  calls.push_back({Aggregate::sum, b.column(6u), "sum", nullptr});
  calls.push_back({Aggregate::count_rows, 0, "rows", nullptr});
  return plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls);
}

inline std::map<std::int64_t, ExtremesOfKey> extremes_of(const std::vector<ExtremeRow>& rows) {
  std::map<std::int64_t, ExtremesOfKey> all;
  for (const ExtremeRow& row : rows) {
    ExtremesOfKey& seen = all[row.key];
    if (row.integer) seen.integer.add(*row.integer);
    if (row.real) seen.real.add(*row.real);
    seen.word.add(row.word), seen.price.add(row.price), seen.moment.add(row.moment);
    seen.sum += row.added, seen.rows++;
  }
  return all;
}

template <class T> bool is_value(const Scalar& got, const std::optional<T>& wanted) {
  if (got.is_null || !wanted) return got.is_null && !wanted;
  if constexpr (std::is_floating_point_v<T>)
    return (got.real == *wanted && std::signbit(got.real) == std::signbit(*wanted)) ||
           (std::isnan(got.real) && std::isnan(*wanted));
  else
    return got.integer == static_cast<Int128>(*wanted);
}

inline void expect_extremes(const Table& got, const std::vector<ExtremeRow>& rows) {
  const std::map<std::int64_t, ExtremesOfKey> expected = extremes_of(rows);
  ASSERT_EQ(got.row_count, expected.size());
  for (std::uint64_t row = 0; row < got.row_count; row++) {
    const auto at = [&](std::size_t column) { return scalar_at(got.columns[column], row); };
    const auto found = expected.find(static_cast<std::int64_t>(at(0).integer));
    ASSERT_NE(found, expected.end()) << text_of(at(0));
    const auto expect_both = [&](std::size_t column, const auto& values) {
      ASSERT_TRUE(is_value(at(column), values.least)) << text_of(at(0)) << " column " << column;
      ASSERT_TRUE(is_value(at(column + 1), values.greatest))
          << text_of(at(0)) << " column " << column + 1;
    };
    expect_both(1, found->second.integer);
    expect_both(3, found->second.word);
    expect_both(5, found->second.real);
    expect_both(7, found->second.price);
    expect_both(9, found->second.moment);
    ASSERT_TRUE(at(11).integer == found->second.sum) << text_of(at(0));
    ASSERT_TRUE(at(12).integer == found->second.rows) << text_of(at(0));
  }
}

}  // namespace penstock::test
