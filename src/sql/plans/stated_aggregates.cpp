#include "sql/plans/stated_aggregates.hpp"

#include <algorithm>
#include <utility>

#include "plan/aggregates.hpp"
#include "sql/bind/decimal_quotient.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

constexpr MomentFunction moment_functions[] = {
    {"stddev", true, true},    {"stddev_samp", true, true}, {"stddev_pop", true, false},
    {"variance", false, true}, {"var_samp", false, true},   {"var_pop", false, false}};

const MomentFunction* moments_of(std::string_view name) {
  const auto found = std::ranges::find(moment_functions, name, &MomentFunction::name);
  return found == std::end(moment_functions) ? nullptr : &*found;
}

// Any value may stand for the first.
bool is_first(std::string_view name) {
  return name == "first" || name == "any_value" || name == "arbitrary";
}

Aggregate function_of(const AggregateRequest& request) {
  if (!request.argument) return request.filter ? Aggregate::count : Aggregate::count_rows;
  const plan::AggregateRow* const row = plan::aggregate_named(request.name);
  return row ? row->function : Aggregate::minimum;
}

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

bool Aggregates::knows(std::string_view name) {
  return plan::aggregate_named(name) || is_first(name) || moments_of(name);
}

Result<NodeId> Aggregates::filtered_argument(const AggregateRequest& request) {
  Builder& builder = computed_.builder();
  const NodeId argument = request.argument ? *request.argument : builder.literal(Scalar::of(true));
  if (!request.filter) return argument;
  PENSTOCK_ASSIGN(const NodeId condition, builder.cast(*request.filter, Type{Kind::boolean}));
  return builder.select(condition, argument,
                        builder.literal(Scalar::null_of(builder.type(argument))));
}

Status Aggregates::add(const AggregateRequest& request) {
  if (request.argument && !knows(request.name))
    return writer_.problems().refuse(request.place, not_supported("the aggregate " + request.name));
  PENSTOCK_ASSIGN(const NodeId argument, filtered_argument(request));
  std::vector<AggregateCall>& calls = aggregate_.aggregates;
  Output output{static_cast<std::uint32_t>(calls.size()), nullptr, false, request.stated};
  if (request.argument) output.moments = moments_of(request.name);
  AggregateCall call;
  call.function = function_of(request);
  output.is_quotient = call.function == Aggregate::average && request.stated &&
                       request.stated->kind == Kind::decimal;
  outputs_.push_back(output);
  if (output.moments) return add_moments(request, argument);
  if (output.is_quotient) {
    add_quotient(request, argument);
    return {};
  }
  call.name = request.name;
  call.distinct = request.distinct;
  if (plan::takes_argument(call.function)) call.argument = computed_.add(argument);
  calls.push_back(std::move(call));
  return {};
}

Status Aggregates::add_moments(const AggregateRequest& request, NodeId argument) {
  if (request.distinct)
    return writer_.problems().refuse(request.place, not_supported(request.name + "(DISTINCT)"));
  PENSTOCK_ASSIGN(const NodeId value, computed_.builder().cast(argument, Type{Kind::float64}));
  const std::uint32_t column = computed_.add(value);
  std::vector<AggregateCall>& calls = aggregate_.aggregates;
  calls.push_back({Aggregate::count, column, "count", {}});
  moments_.push_back({column, calls.size()});
  calls.push_back({Aggregate::sum, column, "squared distances", {}});
  return {};
}

void Aggregates::add_quotient(const AggregateRequest& request, NodeId argument) {
  const std::uint32_t column = computed_.add(argument);
  for (const auto& [function, name] :
       {std::pair(Aggregate::sum, "sum"), std::pair(Aggregate::count, "count")}) {
    AggregateCall call{function, column, name, {}};
    call.distinct = request.distinct;
    aggregate_.aggregates.push_back(std::move(call));
  }
}

// Adds the squared distances from the means of the groups behind the columns.
Result<RelationId> Aggregates::with_distances(RelationId input) {
  if (moments_.empty()) return input;
  Builder columns(writer_.schema(input));
  RelationAggregate means;
  means.graph = columns.graph();
  RelationJoin join;
  for (const std::uint32_t key : keys_) {
    join.keys.push_back({key, static_cast<std::uint32_t>(means.keys.size()), true});
    means.keys.push_back({columns.schema()[key].name, columns.column(key)});
  }
  for (const Moment& moment : moments_)
    means.aggregates.push_back({Aggregate::average, columns.column(moment.column), "mean", {}});
  PENSTOCK_ASSIGN(const RelationId groups, writer_.relations().aggregate(input, std::move(means)));
  const std::uint32_t input_width = writer_.width(input);
  PENSTOCK_ASSIGN(const RelationId joined,
                  writer_.relations().join(input, groups, std::move(join)));
  Builder rows(writer_.schema(joined));
  std::vector<Projection> projections;
  for (std::uint32_t i = 0; i < input_width; i++)
    projections.push_back({rows.schema()[i].name, rows.column(i)});
  auto mean = input_width + static_cast<std::uint32_t>(keys_.size());
  for (const Moment& moment : moments_) {
    PENSTOCK_ASSIGN(const NodeId distance,
                    rows.binary(Op::subtract, rows.column(moment.column), rows.column(mean++)));
    PENSTOCK_ASSIGN(const NodeId square, rows.binary(Op::multiply, distance, distance));
    aggregate_.aggregates[moment.sum].argument = static_cast<NodeId>(projections.size());
    projections.push_back({"squared distance", square});
  }
  return writer_.relations().project(joined, rows.graph(), std::move(projections));
}

Result<RelationId> Aggregates::grouped(RelationId input) {
  Builder columns(writer_.schema(input));
  for (const std::uint32_t key : keys_)
    aggregate_.keys.push_back({columns.schema()[key].name, columns.column(key)});
  for (AggregateCall& call : aggregate_.aggregates)
    if (plan::takes_argument(call.function)) call.argument = columns.column(call.argument);
  aggregate_.graph = columns.graph();
  if (keys_.empty() && aggregate_.aggregates.empty())
    aggregate_.aggregates.push_back({Aggregate::count_rows, 0, "count", {}});
  return writer_.relations().aggregate(input, aggregate_);
}

Result<RelationColumns> Aggregates::finish(std::vector<std::vector<std::uint32_t>> sets,
                                           std::vector<std::vector<std::uint32_t>> groupings) {
  const std::size_t grouping_count = groupings.size();
  const bool has_sets = sets.size() > 1 || (sets.size() == 1 && sets[0].size() < keys_.size());
  if (!moments_.empty() && has_sets)
    return writer_.problems().refuse(-1, not_supported("a variance by several grouping sets"));
  if (has_sets) aggregate_.sets = std::move(sets);
  aggregate_.groupings = std::move(groupings);
  PENSTOCK_ASSIGN(RelationId input, computed_.finish());
  PENSTOCK_ASSIGN(input, with_distances(input));
  PENSTOCK_ASSIGN(const RelationId groups, grouped(input));
  return results(groups, grouping_count);
}

Result<NodeId> Aggregates::result(Builder& builder, const Output& output) {
  const std::uint32_t first = static_cast<std::uint32_t>(keys_.size()) + output.call;
  if (output.moments) return variance(builder, first, *output.moments);
  if (output.is_quotient)
    return decimal_quotient(builder, builder.column(first), builder.column(first + 1),
                            *output.stated);
  return builder.column(first);
}

Result<RelationColumns> Aggregates::results(RelationId groups, std::size_t grouping_count) {
  ComputedColumns computed(writer_, groups);
  RelationColumns rows{groups, {}};
  const auto keys = static_cast<std::uint32_t>(keys_.size());
  for (std::uint32_t i = 0; i < keys; i++) rows.columns.push_back(i);
  for (const Output& output : outputs_) {
    PENSTOCK_ASSIGN(NodeId node, result(computed.builder(), output));
    if (output.stated) {
      PENSTOCK_ASSIGN(node, writer_.cast_or_keep(computed.builder(), node, *output.stated));
    }
    rows.columns.push_back(computed.add(node));
  }
  for (std::size_t i = 0; i < grouping_count; i++)
    rows.columns.push_back(static_cast<std::uint32_t>(keys + aggregate_.aggregates.size() + i));
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return rows;
}

}  // namespace penstock::sql
