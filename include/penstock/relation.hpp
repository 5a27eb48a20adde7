// Relational algebra: the form in which front ends hand statements over. lower() adds the steps
// that compute a relation to a Plan.
//
// Columns are numbers, and every cast is explicit. A relation that several others read is computed
// once. Rows have no order but the one that sort gives, or an aggregate that is sorted.
//
//     RelationGraph relations;
//     PENSTOCK_ASSIGN(RelationId all, relations.append({first, second}));
//     PENSTOCK_ASSIGN(RelationId kept, relations.distinct(all));
//     PENSTOCK_ASSIGN(StepId rows, lower(relations, kept, plan));
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/plan.hpp"

namespace penstock {

using RelationId = std::uint32_t;

// scan is a file, or values in memory.
enum class RelationKind : unsigned char {
  scan,
  filter,
  project,
  join,
  aggregate,
  distinct,
  window,
  sort,
  limit,
  append,
  intersect,
  except,
  unnest,
  working_table,
  recursion
};
std::string_view name_of(RelationKind kind);

// inner, left, full: pairs, and rows without a partner. semi, anti: left rows that have a partner,
// or none. mark: each left row, and whether it has a partner: NULL where SQL's IN does not know.
// not_in: left rows whose mark is FALSE. single: as left; a second partner of a row is a fault.
enum class JoinType : unsigned char { inner, left, full, semi, anti, mark, single, not_in };
// Returns whether a join of that type yields the left columns alone.
constexpr bool yields_left_alone(JoinType type) {
  return type == JoinType::semi || type == JoinType::anti || type == JoinType::not_in;
}
std::string_view name_of(JoinType type);

struct RelationKey {
  std::uint32_t left = 0, right = 0;  // columns, of one type
  bool null_is_equal = false;         // IS NOT DISTINCT FROM
};

struct RelationJoin {
  JoinType type = JoinType::inner;
  std::vector<RelationKey> keys;  // none: all pairs that the residual takes
  // A further condition over the left columns, then the right ones.
  std::shared_ptr<const Graph> graph = {};
  std::optional<NodeId> residual = {};
  // inner: the right side is held in memory. Otherwise the side with fewer rows is, by an estimate.
  bool holds_right = false;
  // inner, with holds_right: what a run finds out about the right side's keys; null: nothing.
  std::shared_ptr<ExpectedKeys> expected_keys = {};
};

struct RelationAggregate {
  std::shared_ptr<const Graph> graph = {};
  std::vector<Projection> keys = {};
  std::vector<AggregateCall> aggregates = {};
  // Each a list of keys by number; none: one set of all keys. Keys that a set lacks are NULL.
  std::vector<std::vector<std::uint32_t>> sets = {};
  // A BIGINT each, behind the aggregates: SQL's GROUPING() of these keys.
  std::vector<std::vector<std::uint32_t>> groupings = {};
  bool is_sorted = false;  // one set: its rows are in the order of the keys, NULLs last
};

struct Relation {
  RelationKind kind = RelationKind::scan;
  std::vector<RelationId> inputs = {};
  Schema schema = {};  // of the rows it yields
  std::shared_ptr<TableSource> source = {};
  std::shared_ptr<const Graph> graph = {};  // filter, project
  NodeId predicate = 0;
  std::vector<Projection> projections = {};
  RelationJoin join = {};
  RelationAggregate aggregate = {};
  Window window = {};
  Unnesting unnesting = {};
  std::vector<SortKey> sort_keys = {};
  std::uint64_t limit = 0, offset = 0;
  bool all = false;  // intersect, except, recursion: repeated rows count
};

class RelationGraph {
 public:
  RelationId scan(std::shared_ptr<TableSource> source);
  // Each checks its columns and types as Plan's step of that name does.
  Result<RelationId> filter(RelationId input, std::shared_ptr<const Graph> graph, NodeId predicate);
  Result<RelationId> project(RelationId input, std::shared_ptr<const Graph> graph,
                             std::vector<Projection> projections);
  Result<RelationId> join(RelationId left, RelationId right, RelationJoin join);
  // Yields the keys, the aggregates, then the groupings. Without keys: one row.
  Result<RelationId> aggregate(RelationId input, RelationAggregate aggregate);
  Result<RelationId> distinct(RelationId input);
  Result<RelationId> window(RelationId input, Window window);
  Result<RelationId> sort(RelationId input, std::vector<SortKey> keys);
  Result<RelationId> limit(RelationId input, std::uint64_t count, std::uint64_t offset = 0);
  Result<RelationId> append(std::vector<RelationId> inputs);
  Result<RelationId> intersect(RelationId left, RelationId right, bool all);
  Result<RelationId> except(RelationId left, RelationId right, bool all);
  Result<RelationId> unnest(RelationId input, Unnesting unnesting);
  // The rows of a recursion's base, then what its step has yielded last. All its columns may be
  // NULL.
  RelationId working_table(Schema schema);
  // Yields the base's rows, then the step's. The step runs over the working table again and again
  // until it yields none. Without `all` a row is yielded once. All three have the same types.
  Result<RelationId> recursion(RelationId working, RelationId base, RelationId step, bool all);

  // Adds a relation of this or another graph over other inputs of the same types.
  Result<RelationId> copy(const Relation& relation, std::vector<RelationId> inputs);

  const Relation& at(RelationId id) const { return relations_[id]; }
  std::size_t size() const { return relations_.size(); }

 private:
  Result<RelationId> add(Relation relation);
  Result<RelationId> of_sets(RelationKind kind, RelationId left, RelationId right, bool all);
  std::vector<Relation> relations_;
};

// Adds the steps that yield a relation's rows and columns.
Result<StepId> lower(const RelationGraph& relations, RelationId result, Plan& plan);
// Returns the tree below a relation, a line each, for --explain.
std::string describe(const RelationGraph& relations, RelationId result);

}  // namespace penstock
