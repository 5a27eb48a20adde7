// The aggregates of one operator of a foreign plan, in the types that the plan states. Variances
// and deviations take two passes: the mean of each group, then the squared distances from it. Sums
// of squares would lose the digits of large numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/plans/relation_writer.hpp"

namespace penstock::sql {

struct MomentFunction {
  std::string_view name;
  bool is_root = false;    // the square root of the variance
  bool is_sample = false;  // divides by one less than the count
};

struct AggregateRequest {
  std::string name;
  std::optional<NodeId> argument = {};  // none: it counts rows
  std::optional<NodeId> filter = {};    // a BOOLEAN
  bool distinct = false;
  std::optional<Type> stated = {};
  std::int64_t place = -1;  // in the statement
};

class Aggregates {
 public:
  // Nodes are of the builder of `columns`.
  Aggregates(RelationWriter& writer, ComputedColumns& columns)
      : writer_(writer), computed_(columns) {}

  static bool knows(std::string_view name);
  void add_key(std::uint32_t column) { keys_.push_back(column); }
  std::size_t key_count() const { return keys_.size(); }
  // Adds a result. One of an unknown name is a problem.
  Status add(const AggregateRequest& request);
  // Sets and groupings as in RelationAggregate. Returns the columns of the keys, of the results,
  // then of the groupings.
  Result<RelationColumns> finish(std::vector<std::vector<std::uint32_t>> sets,
                                 std::vector<std::vector<std::uint32_t>> groupings);

 private:
  struct Output {
    std::uint32_t call = 0;                   // the first of its calls
    const MomentFunction* moments = nullptr;  // of a count and a sum of squared distances
    bool is_quotient = false;                 // of a sum and a count, cut to the stated type
    std::optional<Type> stated = {};
  };
  struct Moment {
    std::uint32_t column = 0;  // of the values
    std::size_t sum = 0;       // the call that adds up their squared distances
  };

  Result<NodeId> filtered_argument(const AggregateRequest& request);
  Status add_moments(const AggregateRequest& request, NodeId argument);
  void add_quotient(const AggregateRequest& request, NodeId argument);
  Result<RelationId> with_distances(RelationId input);
  Result<RelationId> grouped(RelationId input);
  Result<RelationColumns> results(RelationId groups, std::size_t grouping_count);
  Result<NodeId> result(Builder& builder, const Output& output);

  RelationWriter& writer_;
  ComputedColumns& computed_;
  std::vector<std::uint32_t> keys_;
  RelationAggregate aggregate_;  // the argument of a call is a column until all are computed
  std::vector<Output> outputs_;
  std::vector<Moment> moments_;
};

}  // namespace penstock::sql
