// Lowers relations to steps, a rule for each kind. Every rule yields the relation's columns in
// their order.
//
//     filter, project, sort, limit, window, append     the step of that name
//     distinct                                         group by all columns
//     aggregate by several sets                        a group-by for each set, appended
//     intersect, except                                semi and anti join of the distinct rows
//     join                                             lower_join.cpp, lower_mark.cpp
//     recursion                                        a source with plans of its own
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "penstock/relation.hpp"
#include "relation/estimate.hpp"
#include "relation/shape.hpp"

namespace penstock::relation {

// Both inputs of a join, with the columns of its keys behind their own.
struct JoinSides {
  StepId left = 0, right = 0;
  std::uint32_t left_columns = 0, right_columns = 0;  // without the keys'
  std::vector<JoinKey> keys;
};

// SQL's GROUPING(): a bit for each key that the set lacks, the last key in the lowest.
std::int64_t grouping_of(const ColumnList& keys, const ColumnList& set);

class Lowering {
 public:
  Lowering(const RelationGraph& relations, RelationId result, Plan& plan);
  Result<StepId> of(RelationId id);

 private:
  const Relation& at(RelationId id) const { return relations_.at(id); }
  Schema schema(StepId step) const { return plan_.step(step).schema; }
  std::uint32_t width(StepId step) const {
    return static_cast<std::uint32_t>(plan_.step(step).schema.size());
  }
  Result<StepId> lower(RelationId id);
  Result<StepId> filter(const Relation& relation);
  Result<StepId> filtered(RelationId id, const Graph& graph, NodeId predicate);
  Result<StepId> project(const Relation& relation);
  Result<StepId> append(const Relation& relation);

  // lower_sets.cpp
  Result<StepId> distinct(StepId rows);
  Result<StepId> aggregate(RelationId id);
  Result<StepId> grouped(const RelationAggregate& aggregate, const ColumnList& set,
                         const Schema& full, StepId input, bool is_sorted = false);
  // lower_grouping_sets.cpp
  struct GroupedSet {
    ColumnList keys;
    StepId step = 0;  // the keys, then the calls
  };
  // Returns the value of a call in the rows of a set's groups.
  using CallValue = std::function<Result<NodeId>(Builder& rows, std::size_t call)>;
  // Yields the columns of the whole aggregate: keys that the set lacks are NULL.
  Result<StepId> all_columns(const RelationAggregate& aggregate, const Schema& schema,
                             const GroupedSet& groups, const CallValue& value_of);
  static bool can_merge_sets(const RelationAggregate& aggregate);
  Result<StepId> merged_sets(const Relation& relation, StepId rows);
  Result<StepId> merged(const GroupedSet& from, const ColumnList& set,
                        const std::vector<AggregateCall>& partials);
  Result<StepId> finished_set(const Relation& relation, const GroupedSet& groups,
                              const std::vector<std::uint32_t>& first_partials);

  // lower_wide.cpp
  // The aggregate with keys and sums of 128 bits as keys and sums of their halves, over a step that
  // has each key and argument as a column.
  struct Halved {
    RelationAggregate aggregate;
    StepId input = 0;
    bool is_halved = false;                  // else it is as it was
    std::vector<std::uint32_t> first_keys;   // by key before, and the end
    std::vector<std::uint32_t> first_calls;  // by call before: the first that stands for it
    // Returns the keys that stand for those of a set.
    ColumnList keys_of(const ColumnList& set) const;
  };
  Result<Halved> halved(const RelationAggregate& aggregate, StepId input);
  static Status halve_keys(Builder& rows, std::span<const std::uint32_t> places, Halved& to);
  static Status halve_calls(Builder& rows, std::span<const std::uint32_t> places, Halved& to);
  // Returns a step of a set's keys and of the calls as they were.
  Result<StepId> whole(const RelationAggregate& before, const Halved& halved, const ColumnList& set,
                       StepId groups);

  // lower_narrow.cpp
  // Makes sums of 128 bits sums of 64 bits if the types of what they read allow it.
  Status narrow_sums(RelationAggregate& aggregate, StepId& input);

  Result<StepId> set_operation(const Relation& relation);
  // Keeps the left rows that are among the right ones, or those that are not.
  Result<StepId> among(JoinKind kind, StepId left, StepId right);

  // lower_recursion.cpp
  struct RecursionStep;
  Lowering(const Lowering& around, RelationId result, Plan& plan, RecursionStep* step);
  Result<StepId> working_table(RelationId id);
  Result<StepId> recursion(const Relation& relation);
  Result<StepId> union_of(RelationId first, RelationId second, bool all);
  bool is_held(RelationId id) const;
  Result<StepId> held(RelationId id);

  // lower_join.cpp
  Result<StepId> join(const Relation& relation);
  Result<JoinSides> sides(const std::vector<RelationKey>& keys, StepId left, StepId right);
  // Yields the pairs, the left columns first, that the keys and the condition take.
  Result<StepId> pairs(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> turned_pairs(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> outer(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> outer_with_residual(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> half(const RelationJoin& join, JoinKind kind, StepId left, StepId right);
  Result<StepId> half_with_residual(const RelationJoin& join, JoinKind kind, StepId left,
                                    StepId right);
  // lower_differing.cpp
  struct Differing {
    std::uint32_t left = 0, right = 0;  // columns of either side
    bool null_is_value = false;         // IS DISTINCT FROM
  };
  std::optional<Differing> differing_columns(const RelationJoin& join, StepId left,
                                             StepId right) const;
  // Returns whether a semi or anti join has far more right rows than left ones.
  bool is_worth_reducing(const Relation& relation);
  // Returns the right rows with keys of the left side, if extremes are asked for.
  Result<StepId> reduced(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> extremes_of(const RelationJoin& join, Differing columns, StepId right);
  Result<StepId> half_by_extremes(const RelationJoin& join, Differing columns, JoinKind kind,
                                  StepId left, StepId right);
  Result<StepId> full(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> single(const RelationJoin& join, StepId left, StepId right);
  // Returns the type of join that a single join is; its right side may be counted.
  Result<JoinType> single_type(const Relation& relation, StepId& right);
  Result<StepId> with_one_row_at_most(StepId rows, Window window);
  bool is_turned(const Relation& join);
  RelationJoin with_row_number(const RelationJoin& join, StepId left, StepId right) const;
  Result<RelationJoin> without_right_conditions(const RelationJoin& join, StepId left,
                                                StepId& right);

  // lower_mark.cpp
  Result<StepId> not_in(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> not_in_wide(const RelationJoin& join, StepId left, StepId right);
  Result<StepId> mark(const RelationJoin& join, StepId left, StepId right);
  // Adds whether the right side has rows, and NULLs, for those keys that are equal.
  Result<StepId> with_counts(const RelationJoin& join, StepId rows, StepId right);
  Result<std::optional<StepId>> filter_by_mark(const Relation& filter);

  const RelationGraph& relations_;
  Plan& plan_;
  void note_order(RelationId id);
  std::vector<std::uint32_t> consumers_;  // by relation
  std::vector<bool> has_order_;           // by relation: whether a reader sees its rows' order
  std::map<RelationId, StepId> steps_;    // of relations that are lowered
  Estimates estimates_;
  std::map<RelationId, std::shared_ptr<TableSource>> working_;  // stand for working tables
  RecursionStep* step_ = nullptr;                               // that is lowered
};

}  // namespace penstock::relation
