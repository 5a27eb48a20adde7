// The table of aggregates. All that is particular to one of them stands in its row: its names, its
// types, what kernels add its values up in, and how its result is read from that.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/steps.hpp"

namespace penstock::plan {

// The number that kernels keep of the values of an aggregate. The table in
// fuse/codegen/accumulator_rows.cpp has a row for each.
enum class AccumulatorKind : unsigned char {
  count,
  sum_i64,
  sum_i128,
  sum_f64,
  minimum,
  maximum,
  custom
};
// Returns what sums of a type are kept in.
AccumulatorKind sum_kind(Type type);

// The way in which a result is read from its accumulator. All except the counts are NULL over no
// values.
enum class Finish : unsigned char {
  counts,   // the number of values
  sum,      // the sum as it is
  average,  // the sum divided by the number of values
  value     // a value of the argument's type
};

struct AggregateRow {
  Aggregate function = Aggregate::count_rows;
  std::string_view name;                         // in plans and messages
  std::array<std::string_view, 2> sql_names;     // "" where there is none
  std::optional<Type> (*result)(Type argument);  // nullopt: it takes no such argument
  AccumulatorKind (*accumulator)(Type argument);
  Finish finish = Finish::value;
  // The function of windows that computes the same over a frame.
  std::optional<WindowFunction> window;
};

const AggregateRow& row_of(Aggregate function);
// Returns null where no aggregate of SQL has this name.
const AggregateRow* aggregate_named(std::string_view sql_name);
// Returns null for functions of windows that are no aggregates.
const AggregateRow* aggregate_of(WindowFunction function);
std::span<const AggregateRow> all_aggregates();
std::vector<std::string_view> aggregate_names();  // the first one in SQL of each

inline bool takes_argument(Aggregate function) { return function != Aggregate::count_rows; }
inline bool counts_values(Aggregate function) { return row_of(function).finish == Finish::counts; }
inline bool adds_values(Aggregate function) {
  return row_of(function).finish == Finish::sum || row_of(function).finish == Finish::average;
}
inline bool is_minimum(Aggregate function, Type argument) {
  return row_of(function).accumulator(argument) == AccumulatorKind::minimum;
}
inline bool is_maximum(Aggregate function, Type argument) {
  return row_of(function).accumulator(argument) == AccumulatorKind::maximum;
}

}  // namespace penstock::plan
