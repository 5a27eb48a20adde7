// Aggregates over 128-bit numbers. A map below computes these numbers. Kernels add up the two
// halves of each, and these sums are exact: the sum of all numbers is put together of both. A key
// of 128 bits is two keys.
#include <algorithm>

#include "expr/operation.hpp"
#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

bool is_of_halves(const Graph& graph, const AggregateCall& call) {
  const bool takes_sum = call.function == Aggregate::sum || call.function == Aggregate::average ||
                         call.function == Aggregate::count;
  return takes_sum && !call.distinct && has_128_bits(graph.at(call.argument).type);
}

bool computes_wide(const Graph& graph, const std::vector<NodeId>& roots) {
  const std::vector<bool> needed = expr::reachable(graph, roots);
  for (NodeId id = 0; id < needed.size(); id++)
    if (needed[id] && has_128_bits(graph.at(id).type)) return true;
  return false;
}

Type type_of_sum(Type argument) {
  return argument.kind == Kind::decimal ? Type::decimal(38, argument.scale) : Type{Kind::int128};
}

}  // namespace

ColumnList Lowering::Halved::keys_of(const ColumnList& set) const {
  if (!is_halved) return set;
  ColumnList keys;
  for (const std::uint32_t key : set)
    for (std::uint32_t i = first_keys[key]; i < first_keys[key + 1]; i++) keys.push_back(i);
  return keys;
}

Status Lowering::halve_keys(Builder& rows, std::span<const std::uint32_t> places, Halved& to) {
  std::vector<Projection> before = std::move(to.aggregate.keys);
  to.aggregate.keys.clear();
  for (std::size_t i = 0; i < before.size(); i++) {
    to.first_keys.push_back(static_cast<std::uint32_t>(to.aggregate.keys.size()));
    PENSTOCK_ASSIGN(const auto values, key_values(rows, rows.column(places[i])));
    for (const NodeId value : values) to.aggregate.keys.push_back({before[i].name, value});
  }
  to.first_keys.push_back(static_cast<std::uint32_t>(to.aggregate.keys.size()));
  return {};
}

Status Lowering::halve_calls(Builder& rows, std::span<const std::uint32_t> places, Halved& to) {
  const std::vector<AggregateCall> before = std::move(to.aggregate.aggregates);
  auto& calls = to.aggregate.aggregates;
  calls.clear();
  for (std::size_t i = 0; i < before.size(); i++) {
    AggregateCall call = before[i];
    call.argument = rows.column(places[i]);
    to.first_calls.push_back(static_cast<std::uint32_t>(calls.size()));
    if (!is_of_halves(*rows.graph(), call)) {
      calls.push_back(std::move(call));
      continue;
    }
    PENSTOCK_ASSIGN(const NodeId high, rows.unary(Op::high_half, call.argument));
    PENSTOCK_ASSIGN(const NodeId low, rows.unary(Op::low_half, call.argument));
    if (call.function != Aggregate::count) {
      calls.push_back({Aggregate::sum, high, "high", {}});
      calls.push_back({Aggregate::sum, low, "low", {}});
    }
    if (call.function != Aggregate::sum) calls.push_back({Aggregate::count, high, call.name, {}});
  }
  return {};
}

Result<Lowering::Halved> Lowering::halved(const RelationAggregate& aggregate, StepId input) {
  Halved result{aggregate, input, false, {}, {}};
  std::vector<NodeId> roots, read;
  for (const Projection& key : aggregate.keys) roots.push_back(key.root);
  read = roots;
  for (const AggregateCall& call : aggregate.aggregates) {
    const bool has_argument = call.function != Aggregate::count_rows;
    roots.push_back(has_argument ? call.argument : 0);
    if (has_argument) read.push_back(call.argument);
  }
  if (!computes_wide(*aggregate.graph, read)) return result;
  const Moved values = moved(schema(input), *aggregate.graph, roots, columns_from(0, width(input)));
  Extension columns(plan_, input, values.graph);
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < roots.size(); i++) {
    const bool is_argument = i >= aggregate.keys.size();
    const bool is_read = !is_argument || aggregate.aggregates[i - aggregate.keys.size()].function !=
                                             Aggregate::count_rows;
    places.push_back(is_read ? columns.add(values.roots[i], "value") : 0);
  }
  PENSTOCK_ASSIGN(result.input, columns.finish());
  Builder rows(schema(result.input));
  result.is_halved = true;
  result.aggregate.graph = rows.graph();
  PENSTOCK_TRY(halve_keys(rows, places, result));
  PENSTOCK_TRY(halve_calls(rows, std::span(places).subspan(aggregate.keys.size()), result));
  return result;
}

Result<StepId> Lowering::whole(const RelationAggregate& before, const Halved& halved,
                               const ColumnList& set, StepId groups) {
  if (!halved.is_halved || (set.empty() && before.aggregates.empty())) return groups;
  Builder rows(schema(groups));
  std::vector<Projection> columns;
  std::uint32_t place = 0;
  for (const std::uint32_t key : set) {
    const Type type = before.graph->at(before.keys[key].root).type;
    NodeId value = rows.column(place++);
    if (has_128_bits(type)) {
      PENSTOCK_ASSIGN(value, rows.from_halves(value, rows.column(place++), type));
    }
    columns.push_back({before.keys[key].name, value});
  }
  for (std::size_t i = 0; i < before.aggregates.size(); i++) {
    const AggregateCall& call = before.aggregates[i];
    const std::uint32_t first = place + halved.first_calls[i];
    NodeId value = rows.column(first);
    if (is_of_halves(*before.graph, call) && call.function != Aggregate::count) {
      const Type type = type_of_sum(before.graph->at(call.argument).type);
      PENSTOCK_ASSIGN(value, rows.from_halves(value, rows.column(first + 1), type));
      if (call.function == Aggregate::average) {
        PENSTOCK_ASSIGN(value, mean_of(rows, value, rows.column(first + 2)));
      }
    }
    columns.push_back({call.name, value});
  }
  return plan_.map(groups, rows.graph(), std::move(columns));
}

}  // namespace penstock::relation
