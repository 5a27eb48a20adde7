// Aggregates of DuckDB's plans. Variances and deviations take two passes: the mean of each group,
// then the squared distances from it. Sums of squares would lose the digits of large numbers.
#include <algorithm>
#include <cmath>

#include "plan/aggregates.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

struct MomentFunction {
  std::string_view name;
  bool is_root = false;    // the square root of the variance
  bool is_sample = false;  // divides by one less than the count
};
constexpr MomentFunction moment_functions[] = {
    {"stddev", true, true},    {"stddev_samp", true, true}, {"stddev_pop", true, false},
    {"variance", false, true}, {"var_samp", false, true},   {"var_pop", false, false}};

bool is_first(std::string_view name) {
  return name == "first" || name == "any_value" || name == "arbitrary";
}

std::vector<std::vector<std::uint32_t>> lists_of(const Tree& lists) {
  std::vector<std::vector<std::uint32_t>> result(lists.size());
  for (std::size_t i = 0; i < lists.size(); i++)
    for (std::size_t k = 0; k < lists.at(i).size(); k++)
      result[i].push_back(static_cast<std::uint32_t>(lists.at(i).at(k).integer()));
  return result;
}

}  // namespace

// A result of the plan's operator: a column of the groups, or moments that give it.
struct PlanReader::Aggregation {
  struct Output {
    std::uint32_t call = 0;                   // the first of its calls
    const MomentFunction* moments = nullptr;  // of a count and a sum of squared distances
    std::optional<Type> stated = {};
  };
  Computed* computed = nullptr;
  RelationAggregate aggregate;
  std::vector<Output> outputs;
  struct Moment {
    std::uint32_t column = 0;  // of the values
    std::size_t sum = 0;       // the call that adds up their squared distances
  };
  std::vector<Moment> moments;
};

Result<PlanRows> PlanReader::aggregate(const Tree& plan) {
  PENSTOCK_ASSIGN(const PlanRows rows, input(plan));
  Builder builder(schema(rows.relation));
  Aggregation aggregation;
  aggregation.aggregate.graph = builder.graph();
  const Tree groups = plan["groups"], calls = plan["expressions"];
  Computed computed(*this, rows);
  aggregation.computed = &computed;
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < groups.size(); i++) {
    PENSTOCK_ASSIGN(keys.emplace_back(), computed.column(groups.at(i), "GROUP BY"));
  }
  for (std::size_t i = 0; i < calls.size(); i++)
    PENSTOCK_TRY(add_aggregate(calls.at(i), rows, aggregation));
  PENSTOCK_ASSIGN(RelationId input, computed.finish());
  const auto sets = lists_of(plan["grouping_sets"]);
  const bool has_sets = sets.size() > 1 || (sets.size() == 1 && sets[0].size() < keys.size());
  if (!aggregation.moments.empty() && has_sets)
    return refuse(plan, "a variance by several grouping sets");
  PENSTOCK_ASSIGN(input, with_distances(input, keys, aggregation));
  Builder columns(schema(input));
  for (const std::uint32_t key : keys)
    aggregation.aggregate.keys.push_back({schema(input)[key].name, columns.column(key)});
  for (AggregateCall& call : aggregation.aggregate.aggregates)
    if (plan::takes_argument(call.function)) call.argument = columns.column(call.argument);
  aggregation.aggregate.graph = columns.graph();
  if (has_sets) aggregation.aggregate.sets = sets;
  aggregation.aggregate.groupings = lists_of(plan["grouping_functions"]);
  if (keys.empty() && aggregation.aggregate.aggregates.empty())
    aggregation.aggregate.aggregates.push_back({Aggregate::count_rows, 0, "count", {}});
  PENSTOCK_ASSIGN(const RelationId grouped, relations_.aggregate(input, aggregation.aggregate));
  return finished(plan, grouped, aggregation);
}

// The argument of a call is the number of a column until all are computed.
Status PlanReader::add_aggregate(const Tree& call, const PlanRows& rows, Aggregation& aggregation) {
  std::string name(function_name(call));
  if (name == "sum_no_overflow") name = "sum";  // of values that DuckDB 1 knows to be small
  const std::vector<Tree> inputs = inputs_of(call);
  Builder& builder = aggregation.computed->builder();
  std::vector<AggregateCall>& calls = aggregation.aggregate.aggregates;
  AggregateCall added;
  added.name = name;
  added.distinct = call["aggregate_type"].text() == "DISTINCT";
  Aggregation::Output output{static_cast<std::uint32_t>(calls.size()), nullptr, stated_type(call)};
  const auto moments = std::ranges::find(moment_functions, name, &MomentFunction::name);
  const plan::AggregateRow* const row = plan::aggregate_named(name);
  const bool counts_rows = name == "count_star" || (name == "count" && inputs.empty());
  if (!counts_rows && !row && !is_first(name) && moments == std::end(moment_functions)) {
    static_cast<void>(refuse(call, "the aggregate " + name));
    for (const Tree& input : inputs)
      PENSTOCK_TRY(value(builder, input, rows.columns, "an aggregate").status());
    aggregation.outputs.push_back(output);
    calls.push_back({Aggregate::count_rows, 0, name, {}});
    return {};
  }
  NodeId argument = builder.literal(Scalar::of(true));
  if (!counts_rows) {
    if (inputs.empty()) return Status(Code::invalid, "the plan lacks the input of " + name);
    PENSTOCK_ASSIGN(argument, value(builder, inputs[0], rows.columns, "an aggregate"));
  }
  if (call["filter"]) {
    PENSTOCK_ASSIGN(NodeId condition, value(builder, call["filter"], rows.columns, "FILTER"));
    PENSTOCK_ASSIGN(condition, builder.cast(condition, Type{Kind::boolean}));
    PENSTOCK_ASSIGN(argument,
                    builder.select(condition, argument,
                                   builder.literal(Scalar::null_of(builder.type(argument)))));
  }
  if (moments != std::end(moment_functions)) {
    output.moments = &*moments;
    aggregation.outputs.push_back(output);
    return add_moments(call, name, argument, aggregation);
  }
  aggregation.outputs.push_back(output);
  // Any value may stand for the first.
  added.function = counts_rows && !call["filter"] ? Aggregate::count_rows
                   : counts_rows                  ? Aggregate::count
                   : row                          ? row->function
                                                  : Aggregate::minimum;
  if (plan::takes_argument(added.function)) added.argument = aggregation.computed->add(argument);
  calls.push_back(std::move(added));
  return {};
}

Status PlanReader::add_moments(const Tree& call, std::string_view name, NodeId argument,
                               Aggregation& aggregation) {
  if (call["aggregate_type"].text() == "DISTINCT")
    return refuse(call, std::string(name) + "(DISTINCT)");
  Builder& builder = aggregation.computed->builder();
  PENSTOCK_ASSIGN(const NodeId value, builder.cast(argument, Type{Kind::float64}));
  const std::uint32_t column = aggregation.computed->add(value);
  std::vector<AggregateCall>& calls = aggregation.aggregate.aggregates;
  calls.push_back({Aggregate::count, column, "count", {}});
  aggregation.moments.push_back({column, calls.size()});
  calls.push_back({Aggregate::sum, column, "squared distances", {}});
  return {};
}

// Adds the squared distances from the means of the groups behind the columns.
Result<RelationId> PlanReader::with_distances(RelationId input,
                                              const std::vector<std::uint32_t>& keys,
                                              Aggregation& aggregation) {
  if (aggregation.moments.empty()) return input;
  Builder columns(schema(input));
  RelationAggregate means;
  means.graph = columns.graph();
  RelationJoin join;
  for (const std::uint32_t key : keys) {
    join.keys.push_back({key, static_cast<std::uint32_t>(means.keys.size()), true});
    means.keys.push_back({schema(input)[key].name, columns.column(key)});
  }
  for (const auto& moment : aggregation.moments)
    means.aggregates.push_back({Aggregate::average, columns.column(moment.column), "mean", {}});
  PENSTOCK_ASSIGN(const RelationId groups, relations_.aggregate(input, std::move(means)));
  const std::uint32_t input_width = width(input);
  PENSTOCK_ASSIGN(const RelationId joined, relations_.join(input, groups, std::move(join)));
  Builder rows(schema(joined));
  std::vector<Projection> projections;
  for (std::uint32_t i = 0; i < input_width; i++)
    projections.push_back({rows.schema()[i].name, rows.column(i)});
  auto mean = input_width + static_cast<std::uint32_t>(keys.size());
  for (const auto& moment : aggregation.moments) {
    PENSTOCK_ASSIGN(const NodeId distance,
                    rows.binary(Op::subtract, rows.column(moment.column), rows.column(mean++)));
    PENSTOCK_ASSIGN(const NodeId square, rows.binary(Op::multiply, distance, distance));
    aggregation.aggregate.aggregates[moment.sum].argument = static_cast<NodeId>(projections.size());
    projections.push_back({"squared distance", square});
  }
  return relations_.project(joined, rows.graph(), std::move(projections));
}

namespace {

// NULL of too few values.
Result<NodeId> variance(Builder& rows, std::uint32_t first, const MomentFunction& function) {
  const Type real{Kind::float64};
  PENSTOCK_ASSIGN(const NodeId count, rows.cast(rows.column(first), real));
  const NodeId zero = rows.literal(Scalar::of(0.0));
  const NodeId one = rows.literal(Scalar::of(function.is_sample ? 1.0 : 0.0));
  PENSTOCK_ASSIGN(const NodeId divisor, rows.binary(Op::subtract, count, one));
  PENSTOCK_ASSIGN(NodeId result, rows.binary(Op::divide, rows.column(first + 1), divisor));
  if (function.is_root) { PENSTOCK_ASSIGN(result, rows.unary(Op::square_root, result)); }
  PENSTOCK_ASSIGN(const NodeId has_values, rows.binary(Op::greater, divisor, zero));
  return rows.select(has_values, result, rows.literal(Scalar::null_of(real)));
}

}  // namespace

// Yields the columns of the plan's operator, in the types that it states.
Result<PlanRows> PlanReader::finished(const Tree& plan, RelationId groups,
                                      Aggregation& aggregation) {
  PlanRows rows{groups, {}};
  const auto keys = static_cast<std::uint32_t>(aggregation.aggregate.keys.size());
  for (std::uint32_t i = 0; i < keys; i++) rows.columns.push_back({PlanColumn::Kind::value, i});
  Computed computed(*this, rows);
  Builder& builder = computed.builder();
  std::vector<PlanColumn> columns = rows.columns;
  for (const Aggregation::Output& output : aggregation.outputs) {
    const std::uint32_t first = keys + output.call;
    NodeId node = builder.column(first);
    if (output.moments) { PENSTOCK_ASSIGN(node, variance(builder, first, *output.moments)); }
    if (output.stated && !(builder.type(node) == *output.stated)) {
      const Result<NodeId> cast = builder.cast(node, *output.stated);
      if (!cast.ok() && !problems_.pass(cast.status())) return cast.status();
      if (cast.ok()) node = *cast;
    }
    columns.push_back({PlanColumn::Kind::value, computed.add(node)});
  }
  for (std::size_t i = 0; i < plan["grouping_functions"].size(); i++)
    columns.push_back(
        {PlanColumn::Kind::value,
         static_cast<std::uint32_t>(keys + aggregation.aggregate.aggregates.size() + i)});
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  rows.columns = std::move(columns);
  return rows;
}

}  // namespace penstock::sql
