// Aggregates that read the rows of a group in an order, or more than once: quantiles, modes, first
// values, moments. A group keeps none of them in one number.
//
// Windows and joins add columns to the rows, from which plain aggregates of the groups give each
// result. Moments take two passes: the mean of each group, then products of distances from it. Sums
// of powers would lose the digits of large numbers.
//
//     Statistics statistics(relations, rows, {0});
//     PENSTOCK_TRY(statistics.add({.function = Statistic::quantile, .arguments = {1}}));
//     PENSTOCK_ASSIGN(RelationId prepared, statistics.finish_rows());
//     ... group `prepared` by the keys, with statistics.calls() among its aggregates ...
//     PENSTOCK_ASSIGN(NodeId median, statistics.value(0, groups, first));
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "relation/shape.hpp"

namespace penstock::relation {

enum class Statistic : unsigned char {
  quantile,            // between two values where no value is at its place
  discrete_quantile,   // one of the values
  mode,                // the most frequent value, the first of several
  first,               // the argument of the first row in the order
  concatenation,       // texts in the order, each behind its separator
  list,                // values in the order, NULLs too
  absolute_deviation,  // the median distance from the median
  entropy,             // in bits
  reduction,           // by a custom reduction, of distinct values
  // Moments of one argument.
  population_variance,
  sample_variance,
  population_deviation,
  sample_deviation,
  standard_error,
  skewness,
  kurtosis,
  population_kurtosis,
  // Moments of two arguments, y and x, of the rows that have both.
  population_covariance,
  sample_covariance,
  correlation,
  slope,
  intercept,
  determination,
  squares_of_x,
  squares_of_y,
  products,
  mean_of_x,
  mean_of_y,
  pair_count
};

// A share as SQL has it: a whole number over a power of ten, or a float where `scale` is 0.
struct Share {
  std::int64_t numerator = 5, scale = 10;
  double real = 0.5;
};

struct StatisticCall {
  Statistic function = Statistic::quantile;
  std::vector<std::uint32_t> arguments = {};    // columns of the rows
  std::optional<std::uint32_t> condition = {};  // a column of booleans: the rows that count
  std::vector<SortKey> order = {};              // first, concatenation, list
  Share share = {};                             // quantiles
  bool descending = false;                      // quantiles
  bool distinct = false;
  bool keeps_nulls = false;    // first: a NULL argument counts
  std::string separator = {};  // concatenation
  std::shared_ptr<const CustomReduction> custom = {};
};

class Statistics {
 public:
  Statistics(RelationGraph& relations, RelationId rows, ColumnList keys)
      : relations_(relations), rows_(rows), keys_(std::move(keys)) {}

  Status add(const StatisticCall& call);
  // Returns the rows with all columns that the calls read. Nothing is added behind it.
  Result<RelationId> finish_rows();
  // Aggregates of the groups, of all statistics; their arguments are numbers of columns.
  const std::vector<AggregateCall>& calls() const { return calls_; }
  // Returns a statistic's value, by number. `first`: the groups' column of the first of calls().
  Result<NodeId> value(std::size_t statistic, Builder& groups, std::uint32_t first) const;

 private:
  // `first`: the groups' column of the first call of this statistic.
  using Value = std::function<Result<NodeId>(Builder& groups, std::uint32_t first)>;
  struct Added {
    std::uint32_t first_call = 0;
    Value value;
  };
  struct Ranked {
    std::uint32_t number = 0, count = 0;  // from 1; the number of rows that count
  };
  // A sum of products of distances from the group's means.
  struct Products {
    std::size_t call = 0;
    std::vector<std::uint32_t> factors;  // columns
  };
  using Counted = std::optional<std::uint32_t>;  // a column of booleans; nothing: all rows count

  const Schema& schema() const { return relations_.at(rows_).schema; }
  std::uint32_t width() const { return static_cast<std::uint32_t>(schema().size()); }
  // Adds a column. `value` is a function of a Builder over the rows.
  template <class F> Result<std::uint32_t> computed(const F& value);
  // Returns the first of the window's columns.
  Result<std::uint32_t> windowed(Window window);
  ColumnList partition(const Counted& counted, const ColumnList& more = {}) const;
  Result<Counted> counted(const StatisticCall& call, const ColumnList& present);
  Result<Ranked> ranked(const Counted& counted, const std::vector<SortKey>& order);
  // Adds the value where a condition holds, among the rows that count; else NULL.
  template <class F>
  Result<std::uint32_t> picked(const Counted& counted, std::uint32_t column, const F& condition);
  Result<std::uint32_t> picked(const Counted& counted, std::uint32_t column);
  void call(Aggregate function, std::uint32_t column) {
    calls_.push_back({function, column, "statistic", {}});
  }
  void finish(std::size_t first_call, Value value) {
    added_.push_back({static_cast<std::uint32_t>(first_call), std::move(value)});
  }

  // ordered_statistics.cpp
  struct Neighbours {
    std::uint32_t low = 0, high = 0, count = 0;  // columns: values at the place, and how many count
  };
  Result<Neighbours> neighbours(const StatisticCall& call, const Counted& counted);
  Status add_quantile(const StatisticCall& call);
  Status add_discrete_quantile(const StatisticCall& call);
  Status add_mode(const StatisticCall& call);
  Status add_first(const StatisticCall& call);
  Status add_concatenation(const StatisticCall& call);
  Status add_list(const StatisticCall& call);
  Result<std::uint32_t> joined_texts(const StatisticCall& call, const Counted& counted,
                                     std::uint32_t piece);
  Status add_absolute_deviation(const StatisticCall& call);
  Status add_entropy(const StatisticCall& call);
  Status add_reduction(const StatisticCall& call);

  // moments.cpp
  Status add_moment(const StatisticCall& call);
  Status add_pair(const StatisticCall& call);
  Result<std::uint32_t> real_of(const Counted& counted, std::uint32_t column);
  void sum_of_products(std::vector<std::uint32_t> factors);
  Result<RelationId> with_means();

  RelationGraph& relations_;
  RelationId rows_;
  const ColumnList keys_;
  std::vector<AggregateCall> calls_;
  std::vector<Added> added_;
  std::vector<Products> products_;
  using CountedKey = std::tuple<ColumnList, std::int64_t, bool>;
  std::map<CountedKey, Counted> counted_;
  struct KnownRanks {
    Counted counted;
    std::vector<SortKey> order;
    Ranked ranked;
  };
  std::vector<KnownRanks> ranks_;
};

// Returns the value between two neighbours, `share` of the way from the first one.
Result<NodeId> value_between(Builder& rows, NodeId low, NodeId high, NodeId share);

template <class F> Result<std::uint32_t> Statistics::computed(const F& value) {
  Builder builder(schema());
  PENSTOCK_ASSIGN(const NodeId node, value(builder));
  if (const Node& known = builder.graph()->at(node); known.op == Op::column) return known.payload;
  std::vector<Projection> projections;
  for (std::uint32_t i = 0; i < width(); i++)
    projections.push_back({schema()[i].name, builder.column(i)});
  projections.push_back({"value", node});
  PENSTOCK_ASSIGN(rows_, relations_.project(rows_, builder.graph(), std::move(projections)));
  return width() - 1;
}

template <class F>
Result<std::uint32_t> Statistics::picked(const Counted& counted, std::uint32_t column,
                                         const F& condition) {
  return computed([&](Builder& rows) -> Result<NodeId> {
    PENSTOCK_ASSIGN(NodeId is_it, condition(rows));
    if (counted) { PENSTOCK_ASSIGN(is_it, rows.binary(Op::and_, rows.column(*counted), is_it)); }
    const NodeId value = rows.column(column);
    return rows.select(is_it, value, rows.literal(Scalar::null_of(rows.type(value))));
  });
}

}  // namespace penstock::relation
