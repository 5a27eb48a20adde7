// A plan is a graph of operations over tables. run.hpp runs it on a device.
//
// Steps are type-checked when they are added. Nothing runs until run(). Chains of filter and map,
// and the reduce or group-by at their end, become one kernel. A step with several consumers is
// materialised once. A source is scanned for each of them if it can be scanned again, and held in
// memory if it cannot.
//
//     Plan plan;
//     StepId rows = plan.source(open_table("lineitem.parquet"));
//     PENSTOCK_ASSIGN(StepId kept, plan.filter(rows, graph, predicate));
//     PENSTOCK_ASSIGN(StepId total, plan.reduce(kept, graph, {{Aggregate::sum, price,
//         "revenue"}}));
//     PENSTOCK_ASSIGN(QueryResult result, run(plan, total, {.device = "cuda:0"}));
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/steps.hpp"

namespace penstock {

class Plan {
 public:
  StepId source(std::shared_ptr<TableSource> source);  // no_step if there is none
  // Each refuses wrong types with the step's name and the types: "filter: the predicate is INTEGER,
  // not BOOLEAN". A graph is over the input's rows: its columns are checked against their types.
  Result<StepId> filter(StepId input, std::shared_ptr<const Graph> graph, NodeId predicate);
  Result<StepId> map(StepId input, std::shared_ptr<const Graph> graph,
                     std::vector<Projection> projections);
  Result<StepId> reduce(StepId input, std::shared_ptr<const Graph> graph,
                        std::vector<AggregateCall> aggregates);
  // Yields the keys, then the aggregates. Rows are sorted by the keys (NULLs last), so that every
  // device gives one order; with `any_order` they need not be.
  Result<StepId> group_by(StepId input, std::shared_ptr<const Graph> graph,
                          std::vector<Projection> keys, std::vector<AggregateCall> aggregates,
                          bool any_order = false);
  Result<StepId> order_by(StepId input, std::vector<SortKey> keys);  // stable
  // Yields the input's columns, then the columns of the calls. Rows keep their order. Results have
  // the types of aggregates.
  Result<StepId> window(StepId input, Window window);
  Result<StepId> limit(StepId input, std::uint64_t count, std::uint64_t offset = 0);
  // Yields the left columns, then the right ones (except for semi, anti and not_in), in the order
  // of the left rows and, for one of them, of the right rows. Keys of two types are compared as
  // common_type() of them. NaN equals NaN, as in DuckDB. The right side is held in memory: make it
  // the smaller one. If its key is unique, the join is a lookup inside the left side's kernel.
  Result<StepId> join(StepId left, StepId right, JoinKind kind, std::vector<JoinKey> keys);

  // Yields the rows of each input in turn (UNION ALL). All have the same types. Columns have the
  // names of the first input.
  Result<StepId> append(std::vector<StepId> inputs);
  // Yields the kept columns, the elements of each list, then their number.
  Result<StepId> unnest(StepId input, Unnesting unnesting);

  // Gives a source step other rows of the same schema.
  void replace_source(StepId source, std::shared_ptr<TableSource> rows);
  // Returns the plan over TableSource::with_nulls_found() of its sources; nullopt if none has
  // found any. Its steps have the same numbers.
  std::optional<Plan> with_nulls_found() const;
  // Has `step` yield its rows while keys are unique as joins expect, and then those of `otherwise`,
  // an earlier step of the same schema.
  void expect_unique_keys(StepId join, std::shared_ptr<ExpectedKeys> keys);
  Status prefer(StepId step, StepId otherwise, std::shared_ptr<const ExpectedKeys> keys);
  // Returns the plan without preferences for keys that were found to repeat; nullopt if there are
  // none. Its steps have the same numbers.
  std::optional<Plan> with_repeats_found() const;
  Plan without_preferences() const;
  const Step& step(StepId id) const { return steps_[id]; }
  std::size_t size() const { return steps_.size(); }

 private:
  friend class Query;  // makes a plan of steps that were checked when they were added to another
  Result<StepId> add(Step step);
  Result<StepId> with_casts(StepId input, const std::vector<std::pair<std::uint32_t, Type>>& casts);
  Status check(StepKind kind, StepId input, const Graph* graph,
               const std::vector<NodeId>& roots) const;
  struct Preference {
    StepId step = no_step, otherwise = no_step;
    std::shared_ptr<const ExpectedKeys> keys;
  };
  template <class Drops> Plan without(const Drops& drops) const;
  std::vector<Step> steps_;
  std::vector<Preference> preferences_;
};

}  // namespace penstock
