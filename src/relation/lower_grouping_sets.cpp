// Several grouping sets. The rows are grouped once, by all keys. Each other set is grouped from the
// groups of the smallest set that has its keys: those of ROLLUP one from another.
#include <algorithm>

#include "plan/aggregates.hpp"
#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

bool is_merged_by_sum(Aggregate function) {
  return function == Aggregate::count_rows || function == Aggregate::count ||
         function == Aggregate::sum;
}

bool can_be_merged(const AggregateCall& call) {
  return !call.distinct && call.function != Aggregate::custom;
}

// The calls that groups keep: an average is a sum and a count.
struct PartialCalls {
  std::vector<AggregateCall> calls;
  std::vector<std::uint32_t> first;  // by call of the aggregate
};

PartialCalls partials_of(const std::vector<AggregateCall>& calls) {
  PartialCalls partials;
  for (const AggregateCall& call : calls) {
    partials.first.push_back(static_cast<std::uint32_t>(partials.calls.size()));
    AggregateCall part = call;
    if (call.function == Aggregate::average) {
      part.function = Aggregate::sum;
      partials.calls.push_back(part);
      part.function = Aggregate::count;
    }
    partials.calls.push_back(std::move(part));
  }
  return partials;
}

bool holds_all(const ColumnList& set, const ColumnList& keys) {
  return std::ranges::all_of(
      keys, [&](std::uint32_t key) { return std::ranges::find(set, key) != set.end(); });
}

}  // namespace

bool Lowering::can_merge_sets(const RelationAggregate& aggregate) {
  return aggregate.sets.size() > 1 && std::ranges::all_of(aggregate.aggregates, can_be_merged);
}

// Groups the groups of a larger set by the keys of a smaller one, in the same columns of calls.
Result<StepId> Lowering::merged(const GroupedSet& from, const ColumnList& set,
                                const std::vector<AggregateCall>& partials) {
  Builder groups(schema(from.step));
  RelationAggregate aggregate;
  aggregate.graph = groups.graph();
  for (const std::uint32_t key : set) {
    const auto place =
        static_cast<std::uint32_t>(std::ranges::find(from.keys, key) - from.keys.begin());
    aggregate.keys.push_back({groups.schema()[place].name, groups.column(place)});
  }
  const auto first = static_cast<std::uint32_t>(from.keys.size());
  for (std::uint32_t i = 0; i < partials.size(); i++) {
    AggregateCall call = partials[i];
    if (is_merged_by_sum(call.function)) call.function = Aggregate::sum;
    call.argument = groups.column(first + i);
    aggregate.aggregates.push_back(std::move(call));
  }
  const ColumnList all = columns_from(0, static_cast<std::uint32_t>(set.size()));
  PENSTOCK_ASSIGN(const StepId step, grouped(aggregate, all, {}, from.step));
  Builder rows(schema(step));
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < rows.schema().size(); i++) {
    NodeId value = rows.column(i);
    const bool is_call = i >= set.size() && i - set.size() < partials.size();
    if (is_call && plan::counts_values(partials[i - set.size()].function)) {
      PENSTOCK_ASSIGN(value, rows.cast(value, Type{Kind::int64}));
      const NodeId none = rows.literal(Scalar::of(std::int64_t{0}));
      PENSTOCK_ASSIGN(value, rows.variadic(Op::coalesce, {value, none}));
    }
    columns.push_back({rows.schema()[i].name, value});
  }
  return plan_.map(step, rows.graph(), std::move(columns));
}

Result<StepId> Lowering::all_columns(const RelationAggregate& aggregate, const Schema& schema,
                                     const GroupedSet& groups, const CallValue& value_of) {
  Builder rows(this->schema(groups.step));
  std::vector<Projection> columns;
  const auto add = [&](NodeId value) { columns.push_back({schema[columns.size()].name, value}); };
  for (std::uint32_t key = 0; key < aggregate.keys.size(); key++) {
    const auto place =
        static_cast<std::uint32_t>(std::ranges::find(groups.keys, key) - groups.keys.begin());
    add(place < groups.keys.size() ? rows.column(place)
                                   : rows.literal(Scalar::null_of(schema[key].type)));
  }
  for (std::size_t i = 0; i < aggregate.aggregates.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId value, value_of(rows, i));
    add(value);
  }
  for (const ColumnList& keys : aggregate.groupings)
    add(rows.literal(Scalar::of(grouping_of(keys, groups.keys))));
  return plan_.map(groups.step, rows.graph(), std::move(columns));
}

Result<StepId> Lowering::finished_set(const Relation& relation, const GroupedSet& groups,
                                      const std::vector<std::uint32_t>& first_partials) {
  const auto value_of = [&](Builder& rows, std::size_t call) -> Result<NodeId> {
    const auto place = static_cast<std::uint32_t>(groups.keys.size() + first_partials[call]);
    if (relation.aggregate.aggregates[call].function != Aggregate::average)
      return rows.column(place);
    return mean_of(rows, rows.column(place), rows.column(place + 1));
  };
  return all_columns(relation.aggregate, relation.schema, groups, value_of);
}

Result<StepId> Lowering::merged_sets(const Relation& relation, StepId rows) {
  const RelationAggregate& aggregate = relation.aggregate;
  const PartialCalls partials = partials_of(aggregate.aggregates);
  RelationAggregate finest = aggregate;
  finest.sets.clear();
  finest.groupings.clear();
  finest.aggregates = partials.calls;
  const ColumnList all = columns_from(0, static_cast<std::uint32_t>(aggregate.keys.size()));
  std::vector<GroupedSet> known(1, {all, 0});
  PENSTOCK_ASSIGN(known[0].step, grouped(finest, all, {}, rows));
  std::vector<std::size_t> order(aggregate.sets.size());
  for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return aggregate.sets[i].size(); });
  std::vector<StepId> parts(order.size());
  for (const std::size_t i : order) {
    const ColumnList& set = aggregate.sets[i];
    const GroupedSet* from = &known[0];
    for (const GroupedSet& other : known)
      if (holds_all(other.keys, set) && other.keys.size() < from->keys.size()) from = &other;
    GroupedSet groups = *from;
    if (groups.keys.size() > set.size()) {
      PENSTOCK_ASSIGN(groups.step, merged(*from, set, partials.calls));
      groups.keys = set;
      known.push_back(groups);
    }
    PENSTOCK_ASSIGN(parts[i], finished_set(relation, groups, partials.first));
  }
  return plan_.append(std::move(parts));
}

}  // namespace penstock::relation
