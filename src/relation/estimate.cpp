#include "relation/estimate.hpp"

#include <algorithm>

#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

// A file that does not know its rows, such as CSV, counts as a million.
constexpr double rows_if_unknown = 1e6;
// DuckDB assumes the same share for a filter that it knows nothing of.
constexpr double share_of_filter = 0.2;
constexpr double elements_of_list = 3;
// A recursion's steps are few, and yield few rows each.
constexpr double rows_of_working_table = 1000, steps_of_recursion = 10;
constexpr double share_of_groups = 0.1, share_of_half_join = 0.5;

// Planners write such filters for the keys of joins.
bool leaves_out_nulls_alone(const Relation& filter) {
  const Graph& graph = *filter.graph;
  return std::ranges::all_of(conjuncts_of(graph, filter.predicate), [&](NodeId id) {
    const Node& condition = graph.at(id);
    return condition.op == Op::not_ && graph.at(condition.inputs[0]).op == Op::is_null;
  });
}

}  // namespace

double Estimates::rows_of(RelationId id) {
  const auto found = known_.find(id);
  return found == known_.end() ? known_[id] = estimate(id) : found->second;
}

double Estimates::estimate(RelationId id) {
  const Relation& relation = relations_.at(id);
  const auto input = [&] { return rows_of(relation.inputs[0]); };
  switch (relation.kind) {
    case RelationKind::scan: {
      const auto rows = relation.source->row_count();
      return rows ? static_cast<double>(*rows) : rows_if_unknown;
    }
    case RelationKind::filter:
      return input() * (leaves_out_nulls_alone(relation) ? 1 : share_of_filter);
    case RelationKind::join: return of_join(relation);
    case RelationKind::aggregate:
      return relation.aggregate.keys.empty() ? 1 : input() * share_of_groups;
    case RelationKind::limit: return std::min(input(), static_cast<double>(relation.limit));
    case RelationKind::append: {
      double rows = 0;
      for (const RelationId one : relation.inputs) rows += rows_of(one);
      return rows;
    }
    case RelationKind::unnest: return input() * elements_of_list;
    case RelationKind::working_table: return rows_of_working_table;
    case RelationKind::recursion: return rows_of(relation.inputs[1]) * steps_of_recursion;
    case RelationKind::project:
    case RelationKind::distinct:
    case RelationKind::window:
    case RelationKind::sort:
    case RelationKind::intersect:
    case RelationKind::except: return input();
  }
  return rows_if_unknown;
}

// A row of facts finds one row of the table that it refers to, unless a filter left that out.
double Estimates::of_join(const Relation& relation) {
  const double left = rows_of(relation.inputs[0]), right = rows_of(relation.inputs[1]);
  switch (relation.join.type) {
    case JoinType::inner: return relation.join.keys.empty() ? left * right : std::max(left, right);
    case JoinType::semi:
    case JoinType::anti:
    case JoinType::not_in: return left * share_of_half_join;
    case JoinType::full: return left + right;
    case JoinType::left:
    case JoinType::mark:
    case JoinType::single: return left;
  }
  return left;
}

}  // namespace penstock::relation
