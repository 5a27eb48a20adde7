// Sums of numbers that have 128 bits in the plan, and need 64.
#include <algorithm>
#include <map>

#include "expr/narrow.hpp"
#include "penstock/skipping.hpp"
#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

// An average of 128 bits has other last digits than one of 64, in DuckDB too.
bool is_of_wide(const RelationAggregate& aggregate, const AggregateCall& call) {
  return call.function == Aggregate::sum && !call.distinct &&
         has_128_bits(aggregate.graph->at(call.argument).type);
}

// The columns of a step as expressions over the rows below its maps.
struct BelowMaps {
  StepId step = 0;
  std::shared_ptr<Graph> graph;
  std::vector<NodeId> columns;
};

BelowMaps below_maps(const Plan& plan, StepId step) {
  const Step& at = plan.step(step);
  if (at.kind != StepKind::map) {
    BelowMaps rows{step, std::make_shared<Graph>(), {}};
    Builder builder(at.schema, rows.graph);
    for (std::uint32_t i = 0; i < at.schema.size(); i++) rows.columns.push_back(builder.column(i));
    return rows;
  }
  BelowMaps rows = below_maps(plan, at.inputs[0]);
  std::vector<NodeId> columns;
  for (const Projection& p : at.projections)
    columns.push_back(rows.graph->import(*at.graph, p.root, rows.columns));
  rows.columns = std::move(columns);
  return rows;
}

// Returns the range of a step's column by the records of the source that has it.
std::optional<expr::Range> range_of_column(const Plan& plan, StepId step, std::uint32_t column) {
  const Step& at = plan.step(step);
  switch (at.kind) {
    case StepKind::source: {
      const Result<ColumnStatistics> known = at.source->statistics(column);
      if (!known.ok() || !known->minimum || !known->maximum) return std::nullopt;
      return expr::Range{scalar_at(*known->minimum, 0).integer,
                         scalar_at(*known->maximum, 0).integer};
    }
    case StepKind::map: {
      const Node& value = at.graph->at(at.projections[column].root);
      if (value.op != Op::column) return std::nullopt;
      return range_of_column(plan, at.inputs[0], value.payload);
    }
    case StepKind::join: {
      const bool is_left = column < at.left_columns;
      return range_of_column(plan, at.inputs[is_left ? 0 : 1],
                             is_left ? column : column - at.left_columns);
    }
    case StepKind::filter:
    case StepKind::order_by:
    case StepKind::limit: return range_of_column(plan, at.inputs[0], column);
    default: return std::nullopt;
  }
}

}  // namespace

// A map of all columns, and of the narrow values behind them, is in place of the maps that were.
Status Lowering::narrow_sums(RelationAggregate& aggregate, StepId& input) {
  if (std::ranges::none_of(aggregate.aggregates,
                           [&](const AggregateCall& call) { return is_of_wide(aggregate, call); }))
    return {};
  const Schema before = schema(input);
  BelowMaps below = below_maps(plan_, input);
  Builder rows(schema(below.step), below.graph);
  std::map<std::uint32_t, std::optional<expr::Range>> ranges;
  const expr::RangeOfColumn range_of = [&](std::uint32_t column) {
    const auto [place, is_new] = ranges.try_emplace(column);
    if (is_new) place->second = range_of_column(plan_, below.step, column);
    return place->second;
  };
  std::vector<Projection> columns;
  for (std::size_t i = 0; i < before.size(); i++)
    columns.push_back({before[i].name, below.columns[i]});
  std::vector<std::pair<std::size_t, std::uint32_t>> narrow;  // calls, and their columns
  for (std::size_t i = 0; i < aggregate.aggregates.size(); i++) {
    const AggregateCall& call = aggregate.aggregates[i];
    if (!is_of_wide(aggregate, call)) continue;
    const NodeId wide = below.graph->import(*aggregate.graph, call.argument, below.columns);
    PENSTOCK_ASSIGN(const auto value, expr::narrowed(rows, wide, range_of));
    if (!value) continue;
    narrow.emplace_back(i, static_cast<std::uint32_t>(columns.size()));
    columns.push_back({call.name, *value});
  }
  if (narrow.empty()) return {};
  PENSTOCK_ASSIGN(input, plan_.map(below.step, below.graph, std::move(columns)));
  const auto graph = std::make_shared<Graph>(*aggregate.graph);
  Builder values(schema(input), graph);
  for (const auto& [call, column] : narrow)
    aggregate.aggregates[call].argument = values.column(column);
  aggregate.graph = graph;
  return {};
}

}  // namespace penstock::relation
