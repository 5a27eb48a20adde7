// Aggregates by sets of keys, and operations on sets of rows.
#include <algorithm>

#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

bool holds(const ColumnList& set, std::uint32_t key) {
  return std::ranges::find(set, key) != set.end();
}

}  // namespace

std::int64_t grouping_of(const ColumnList& keys, const ColumnList& set) {
  std::int64_t bits = 0;
  for (const std::uint32_t key : keys) bits = bits * 2 + !holds(set, key);
  return bits;
}

Result<StepId> Lowering::distinct(StepId rows) {
  Builder builder(schema(rows));
  RelationAggregate groups;
  groups.graph = builder.graph();
  for (std::uint32_t i = 0; i < builder.schema().size(); i++)
    groups.keys.push_back({builder.schema()[i].name, builder.column(i)});
  return grouped(groups, columns_from(0, width(rows)), schema(rows), rows);
}

Result<StepId> Lowering::aggregate(RelationId id) {
  Relation relation = at(id);
  PENSTOCK_ASSIGN(StepId rows, of(relation.inputs[0]));
  PENSTOCK_TRY(narrow_sums(relation.aggregate, rows));
  const RelationAggregate& aggregate = relation.aggregate;
  const auto key_count = static_cast<std::uint32_t>(aggregate.keys.size());
  if (aggregate.sets.empty())
    return grouped(aggregate, columns_from(0, key_count), relation.schema, rows,
                   aggregate.is_sorted && has_order_[id]);
  if (can_merge_sets(aggregate)) return merged_sets(relation, rows);
  std::vector<StepId> parts;
  for (const ColumnList& set : aggregate.sets) {
    PENSTOCK_ASSIGN(parts.emplace_back(), grouped(aggregate, set, relation.schema, rows));
  }
  return parts.size() == 1 ? Result<StepId>(parts[0]) : plan_.append(std::move(parts));
}

// Yields the columns of the whole aggregate, those of keys that the set lacks as NULL.
Result<StepId> Lowering::grouped(const RelationAggregate& all, const ColumnList& all_of_set,
                                 const Schema& full, StepId rows_in, bool is_sorted) {
  PENSTOCK_ASSIGN(const Halved halved, this->halved(all, rows_in));
  const RelationAggregate& aggregate = halved.aggregate;
  const ColumnList set = halved.keys_of(all_of_set);
  const StepId input = halved.input;
  std::vector<NodeId> roots;
  for (const std::uint32_t key : set) roots.push_back(aggregate.keys[key].root);
  for (const AggregateCall& call : aggregate.aggregates) roots.push_back(call.argument);
  const bool counts_alone = std::ranges::all_of(
      aggregate.aggregates,
      [](const AggregateCall& call) { return call.function == Aggregate::count_rows; });
  if (counts_alone) roots.resize(set.size());  // arguments are not read, and may be none
  const Moved values = moved(schema(input), *aggregate.graph, roots, columns_from(0, width(input)));
  std::vector<Projection> keys;
  for (std::size_t i = 0; i < set.size(); i++)
    keys.push_back({aggregate.keys[set[i]].name, values.roots[i]});
  std::vector<AggregateCall> calls = aggregate.aggregates;
  for (std::size_t i = 0; i < calls.size() && !counts_alone; i++)
    calls[i].argument = values.roots[set.size() + i];
  if (set.empty() && calls.empty()) calls.push_back({Aggregate::count_rows, 0, "count", {}});
  PENSTOCK_ASSIGN(StepId groups, set.empty() ? plan_.reduce(input, values.graph, std::move(calls))
                                             : plan_.group_by(input, values.graph, keys,
                                                              std::move(calls), !is_sorted));
  PENSTOCK_ASSIGN(groups, whole(all, halved, all_of_set, groups));
  const auto keys_of_set = static_cast<std::uint32_t>(all_of_set.size());
  const bool is_whole =
      keys_of_set == all.keys.size() && all_of_set == columns_from(0, keys_of_set);
  if (is_whole && aggregate.groupings.empty()) return groups;
  return all_columns(all, full, {all_of_set, groups}, [&](Builder& rows, std::size_t call) {
    return Result<NodeId>(rows.column(static_cast<std::uint32_t>(keys_of_set + call)));
  });
}

// Equal rows that count are told apart by numbers: the second of a kind meets the second.
Result<StepId> Lowering::set_operation(const Relation& relation) {
  PENSTOCK_ASSIGN(StepId left, of(relation.inputs[0]));
  PENSTOCK_ASSIGN(StepId right, of(relation.inputs[1]));
  const ColumnList columns = columns_from(0, width(left));
  if (relation.all) {
    PENSTOCK_ASSIGN(left, add_row_numbers(plan_, left, columns));
    PENSTOCK_ASSIGN(right, add_row_numbers(plan_, right, columns));
  } else {
    PENSTOCK_ASSIGN(left, distinct(left));
  }
  const JoinKind kind = relation.kind == RelationKind::intersect ? JoinKind::semi : JoinKind::anti;
  PENSTOCK_ASSIGN(const StepId rows, among(kind, left, right));
  return keep_columns(plan_, rows, columns);
}

Result<StepId> Lowering::among(JoinKind kind, StepId left, StepId right) {
  RelationJoin join;
  for (std::uint32_t i = 0; i < width(left); i++) join.keys.push_back({i, i, true});
  return half(join, kind, left, right);
}

}  // namespace penstock::relation
