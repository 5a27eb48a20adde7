#include "sql/plans/stated_aggregates.hpp"

#include <algorithm>
#include <utility>

#include "plan/aggregates.hpp"
#include "sql/bind/decimal_quotient.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

struct NamedMoment {
  std::string_view name;
  relation::Statistic function;
};
constexpr NamedMoment moments[] = {{"stddev", relation::Statistic::sample_deviation},
                                   {"stddev_samp", relation::Statistic::sample_deviation},
                                   {"stddev_pop", relation::Statistic::population_deviation},
                                   {"variance", relation::Statistic::sample_variance},
                                   {"var_samp", relation::Statistic::sample_variance},
                                   {"var_pop", relation::Statistic::population_variance}};

const NamedMoment* moment_named(std::string_view name) {
  const auto found = std::ranges::find(moments, name, &NamedMoment::name);
  return found == std::end(moments) ? nullptr : &*found;
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

}  // namespace

bool Aggregates::knows(std::string_view name) {
  return plan::aggregate_named(name) || is_first(name) || moment_named(name);
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
  if (const NamedMoment* const moment = moment_named(request.name); moment && request.argument) {
    outputs_.push_back(
        {static_cast<std::uint32_t>(statistics_.size()), true, false, request.stated});
    relation::StatisticCall& call = statistics_.emplace_back();
    call.function = moment->function;
    call.arguments = {computed_.add(argument)};
    call.distinct = request.distinct;
    return {};
  }
  std::vector<AggregateCall>& calls = aggregate_.aggregates;
  AggregateCall call;
  call.function = function_of(request);
  const bool is_quotient = call.function == Aggregate::average && request.stated &&
                           request.stated->kind == Kind::decimal;
  outputs_.push_back(
      {static_cast<std::uint32_t>(calls.size()), false, is_quotient, request.stated});
  if (is_quotient) {
    add_quotient(request, argument);
    return {};
  }
  call.name = request.name;
  call.distinct = request.distinct;
  if (plan::takes_argument(call.function)) call.argument = computed_.add(argument);
  calls.push_back(std::move(call));
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

// The calls of statistics stand behind the others.
Result<RelationId> Aggregates::grouped(RelationId input, const relation::Statistics& statistics) {
  Builder columns(writer_.schema(input));
  RelationAggregate aggregate = aggregate_;
  for (const std::uint32_t key : keys_)
    aggregate.keys.push_back({columns.schema()[key].name, columns.column(key)});
  const std::vector<AggregateCall>& more = statistics.calls();
  aggregate.aggregates.insert(aggregate.aggregates.end(), more.begin(), more.end());
  for (AggregateCall& call : aggregate.aggregates)
    if (plan::takes_argument(call.function)) call.argument = columns.column(call.argument);
  aggregate.graph = columns.graph();
  if (keys_.empty() && aggregate.aggregates.empty())
    aggregate.aggregates.push_back({Aggregate::count_rows, 0, "count", {}});
  return writer_.relations().aggregate(input, std::move(aggregate));
}

Result<RelationColumns> Aggregates::finish(std::vector<std::vector<std::uint32_t>> sets,
                                           std::vector<std::vector<std::uint32_t>> groupings) {
  const std::size_t grouping_count = groupings.size();
  const bool has_sets = sets.size() > 1 || (sets.size() == 1 && sets[0].size() < keys_.size());
  if (!statistics_.empty() && has_sets)
    return writer_.problems().refuse(-1, not_supported("a variance by several grouping sets"));
  if (has_sets) aggregate_.sets = std::move(sets);
  aggregate_.groupings = std::move(groupings);
  PENSTOCK_ASSIGN(const RelationId rows, computed_.finish());
  relation::Statistics statistics(writer_.relations(), rows, keys_);
  for (const relation::StatisticCall& call : statistics_) PENSTOCK_TRY(statistics.add(call));
  PENSTOCK_ASSIGN(const RelationId input, statistics.finish_rows());
  PENSTOCK_ASSIGN(const RelationId groups, grouped(input, statistics));
  return results(groups, statistics, grouping_count);
}

Result<NodeId> Aggregates::result(Builder& builder, const Output& output,
                                  const relation::Statistics& statistics) {
  const auto first_call = static_cast<std::uint32_t>(keys_.size());
  if (output.is_statistic)
    return statistics.value(output.number, builder,
                            first_call + static_cast<std::uint32_t>(aggregate_.aggregates.size()));
  const std::uint32_t call = first_call + output.number;
  if (output.is_quotient)
    return decimal_quotient(builder, builder.column(call), builder.column(call + 1),
                            *output.stated);
  return builder.column(call);
}

// The groupings are the last columns of the groups.
Result<RelationColumns> Aggregates::results(RelationId groups,
                                            const relation::Statistics& statistics,
                                            std::size_t grouping_count) {
  ComputedColumns computed(writer_, groups);
  RelationColumns rows{groups, {}};
  for (std::uint32_t i = 0; i < keys_.size(); i++) rows.columns.push_back(i);
  for (const Output& output : outputs_) {
    PENSTOCK_ASSIGN(NodeId node, result(computed.builder(), output, statistics));
    if (output.stated) {
      PENSTOCK_ASSIGN(node, writer_.cast_or_keep(computed.builder(), node, *output.stated));
    }
    rows.columns.push_back(computed.add(node));
  }
  const std::size_t width = writer_.width(groups);
  for (std::size_t i = width - grouping_count; i < width; i++)
    rows.columns.push_back(static_cast<std::uint32_t>(i));
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return rows;
}

}  // namespace penstock::sql
