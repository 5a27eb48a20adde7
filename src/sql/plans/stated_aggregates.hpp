// The aggregates of one operator of a foreign plan, in the types that the plan states. Variances
// and deviations are statistics (relation/statistics).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relation/statistics/statistics.hpp"
#include "sql/plans/relation_writer.hpp"

namespace penstock::sql {

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
    std::uint32_t number = 0;  // of the first of its calls, or of its statistic
    bool is_statistic = false;
    bool is_quotient = false;  // of a sum and a count, cut to the stated type
    std::optional<Type> stated = {};
  };

  Result<NodeId> filtered_argument(const AggregateRequest& request);
  void add_quotient(const AggregateRequest& request, NodeId argument);
  Result<RelationId> grouped(RelationId input, const relation::Statistics& statistics);
  Result<RelationColumns> results(RelationId groups, const relation::Statistics& statistics,
                                  std::size_t grouping_count);
  Result<NodeId> result(Builder& builder, const Output& output,
                        const relation::Statistics& statistics);

  RelationWriter& writer_;
  ComputedColumns& computed_;
  std::vector<std::uint32_t> keys_;
  RelationAggregate aggregate_;  // the argument of a call is a column until all are computed
  std::vector<relation::StatisticCall> statistics_;
  std::vector<Output> outputs_;
};

}  // namespace penstock::sql
