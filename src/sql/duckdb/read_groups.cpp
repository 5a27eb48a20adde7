// Aggregates of DuckDB's plans: plain ones, and statistics (relation/statistics) beside them.
#include <algorithm>

#include "plan/aggregates.hpp"
#include "relation/lowering.hpp"
#include "sql/duckdb/plan_reader.hpp"
#include "sql/duckdb/plan_statistics.hpp"

namespace penstock::sql {
namespace {

using relation::ColumnList, relation::Statistic, relation::StatisticCall, relation::Statistics;

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

// DuckDB's names of aggregates that are others over other arguments.
struct Synonym {
  std::string_view name, plain;
};
constexpr Synonym synonyms[] = {{"sum_no_overflow", "sum"},  // of values known to be small
                                {"favg", "avg"},
                                {"fsum", "sum"},
                                {"kahan_sum", "sum"},
                                {"sumkahan", "sum"},
                                {"countif", "count_if"},
                                {"decimal_average", "avg"}};

// DuckDB averages days as nanoseconds.
bool is_mean_of_days(const std::vector<Tree>& inputs) {
  return !inputs.empty() && is_cast(inputs[0]) &&
         inputs[0]["return_type"]["id"].text() == "TIMESTAMP_NS";
}

bool can_be_between(Type type) { return is_numeric(type) || is_date_or_timestamp(type); }

}  // namespace

// A result of the plan's operator: a column of the groups, or a statistic of them.
struct PlanReader::Aggregation {
  struct Output {
    std::size_t call = 0;  // its number among the calls, or among the statistics
    bool is_statistic = false;
    bool is_moment = false;  // a mean of microseconds
    std::optional<Type> stated = {};
    bool is_refused = false;  // stands for a call that was refused: NULL
  };
  Computed* computed = nullptr;
  std::vector<AggregateCall> calls;  // the argument: the number of a column of the rows
  std::vector<StatisticCall> statistics;
  std::vector<Output> outputs;
  std::vector<std::vector<std::uint32_t>> sets, groupings;
};

Result<PlanRows> PlanReader::aggregate(const Tree& plan) {
  PENSTOCK_ASSIGN(const PlanRows rows, input(plan));
  Aggregation aggregation;
  const Tree groups = plan["groups"], calls = plan["expressions"];
  Computed computed(*this, rows);
  aggregation.computed = &computed;
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < groups.size(); i++) {
    PENSTOCK_ASSIGN(keys.emplace_back(), computed.column(groups.at(i), "GROUP BY"));
  }
  for (std::size_t i = 0; i < calls.size(); i++)
    PENSTOCK_TRY(add_aggregate(calls.at(i), rows, aggregation));
  PENSTOCK_ASSIGN(const RelationId input, computed.finish());
  aggregation.groupings = lists_of(plan["grouping_functions"]);
  const auto sets = lists_of(plan["grouping_sets"]);
  const bool has_sets = sets.size() > 1 || (sets.size() == 1 && sets[0].size() < keys.size());
  if (has_sets && !aggregation.statistics.empty())
    return grouped_by_sets(input, keys, sets, aggregation);
  if (has_sets) aggregation.sets = sets;
  return grouped(input, keys, aggregation);
}

// Groups the rows of each set by itself. The keys that a set lacks are NULL.
Result<PlanRows> PlanReader::grouped_by_sets(RelationId input,
                                             const std::vector<std::uint32_t>& keys,
                                             const std::vector<std::vector<std::uint32_t>>& sets,
                                             const Aggregation& aggregation) {
  std::vector<RelationId> parts;
  for (const std::vector<std::uint32_t>& set : sets) {
    Aggregation of_set = aggregation;
    of_set.groupings.clear();
    std::vector<std::uint32_t> of_keys;
    for (const std::uint32_t key : set) {
      if (key >= keys.size()) return Status(Code::invalid, "a grouping set of no key");
      of_keys.push_back(keys[key]);
    }
    PENSTOCK_ASSIGN(PlanRows groups, grouped(input, of_keys, of_set));
    PENSTOCK_ASSIGN(groups, exact(groups));
    Builder builder(schema(groups.relation));
    std::vector<Projection> columns;
    for (std::uint32_t key = 0; key < keys.size(); key++) {
      const auto place = static_cast<std::uint32_t>(std::ranges::find(set, key) - set.begin());
      const Field& field = schema(input)[keys[key]];
      columns.push_back({field.name, place < set.size()
                                         ? builder.column(place)
                                         : builder.literal(Scalar::null_of(field.type))});
    }
    for (auto i = static_cast<std::uint32_t>(set.size()); i < width(groups.relation); i++)
      columns.push_back({builder.schema()[i].name, builder.column(i)});
    for (const std::vector<std::uint32_t>& list : aggregation.groupings)
      columns.push_back(
          {"grouping", builder.literal(Scalar::of(relation::grouping_of(list, set)))});
    PENSTOCK_ASSIGN(parts.emplace_back(),
                    relations_.project(groups.relation, builder.graph(), std::move(columns)));
  }
  PlanRows rows;
  PENSTOCK_ASSIGN(rows.relation, relations_.append(std::move(parts)));
  for (std::uint32_t i = 0; i < width(rows.relation); i++)
    rows.columns.push_back({PlanColumn::Kind::value, i});
  return rows;
}

// Yields the keys, the outputs in the types that the plan states, then the groupings.
Result<PlanRows> PlanReader::grouped(RelationId input, const std::vector<std::uint32_t>& keys,
                                     const Aggregation& aggregation) {
  Statistics statistics(relations_, input, keys);
  for (const StatisticCall& call : aggregation.statistics) PENSTOCK_TRY(statistics.add(call));
  PENSTOCK_ASSIGN(input, statistics.finish_rows());
  Builder columns(schema(input));
  RelationAggregate aggregate;
  aggregate.graph = columns.graph();
  aggregate.sets = aggregation.sets;
  aggregate.groupings = aggregation.groupings;
  for (const std::uint32_t key : keys)
    aggregate.keys.push_back({schema(input)[key].name, columns.column(key)});
  aggregate.aggregates = aggregation.calls;
  aggregate.aggregates.insert(aggregate.aggregates.end(), statistics.calls().begin(),
                              statistics.calls().end());
  for (AggregateCall& call : aggregate.aggregates)
    if (plan::takes_argument(call.function)) call.argument = columns.column(call.argument);
  if (keys.empty() && aggregate.aggregates.empty())
    aggregate.aggregates.push_back({Aggregate::count_rows, 0, "count", {}});
  const auto call_count = static_cast<std::uint32_t>(aggregate.aggregates.size());
  PENSTOCK_ASSIGN(const RelationId groups, relations_.aggregate(input, std::move(aggregate)));
  PlanRows rows{groups, {}};
  const auto key_count = static_cast<std::uint32_t>(keys.size());
  for (std::uint32_t i = 0; i < key_count; i++)
    rows.columns.push_back({PlanColumn::Kind::value, i});
  Computed computed(*this, rows);
  std::vector<PlanColumn> results = rows.columns;
  const auto first_statistic = key_count + static_cast<std::uint32_t>(aggregation.calls.size());
  for (const Aggregation::Output& output : aggregation.outputs) {
    Builder& builder = computed.builder();
    NodeId node = builder.column(key_count +
                                 static_cast<std::uint32_t>(output.is_statistic ? 0 : output.call));
    if (output.is_statistic) {
      PENSTOCK_ASSIGN(node, statistics.value(output.call, builder, first_statistic));
    }
    if (output.is_moment) {
      PENSTOCK_ASSIGN(node, builder.cast(node, Type{Kind::int64}));
      PENSTOCK_ASSIGN(node, builder.string_function("timestamp_of_microseconds", {node}));
    }
    if (output.is_refused) {
      node = builder.literal(Scalar::null_of(output.stated.value_or(Type{Kind::int32})));
    } else if (output.stated && !(builder.type(node) == *output.stated)) {
      const Result<NodeId> cast = builder.cast(node, *output.stated);
      if (!cast.ok() && !problems_.pass(cast.status())) return cast.status();
      if (cast.ok()) node = *cast;
    }
    results.push_back({PlanColumn::Kind::value, computed.add(node)});
  }
  for (std::uint32_t i = 0; i < aggregation.groupings.size(); i++)
    results.push_back({PlanColumn::Kind::value, key_count + call_count + i});
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  rows.columns = std::move(results);
  return rows;
}

// The argument of a call is the number of a column.
Status PlanReader::add_aggregate(const Tree& call, const PlanRows& rows, Aggregation& aggregation) {
  std::string name(function_name(call));
  for (const Synonym& synonym : synonyms)
    if (synonym.name == name) name = synonym.plain;
  const bool has_order = call["order_bys"]["orders"].size() > 0;
  const NamedStatistic* const statistic = statistic_named(name);
  if (statistic && (has_order || !is_first(name)))
    return add_statistic(call, *statistic, rows, aggregation);
  const std::vector<Tree> inputs = inputs_of(call);
  Builder& builder = aggregation.computed->builder();
  AggregateCall added;
  added.name = name;
  added.distinct = call["aggregate_type"].text() == "DISTINCT";
  Aggregation::Output output{aggregation.calls.size(), false, false, stated_type(call)};
  const plan::AggregateRow* const row = plan::aggregate_named(name);
  const bool counts_rows = name == "count_star" || (name == "count" && inputs.empty()),
             counts_some = name == "count_if", is_approximate = name == "approx_count_distinct";
  const bool is_known =
      counts_rows || counts_some || is_approximate || row || is_first(name) || is_reduction(name);
  const std::string count = std::to_string(inputs.size());
  if (!is_known) return refused_aggregate(call, name, rows, aggregation);
  if (inputs.size() > 1 && !is_approximate)
    return refused_aggregate(call, name + " of " + count + " values", rows, aggregation);
  if (row && row->function == Aggregate::average && is_mean_of_days(inputs))
    return refused_aggregate(call, "", rows, aggregation);
  NodeId argument = builder.literal(Scalar::of(true));
  if (!counts_rows) {
    if (inputs.empty()) return Status(Code::invalid, "the plan lacks the input of " + name);
    PENSTOCK_ASSIGN(argument, value(builder, inputs[0], rows.columns, "an aggregate"));
  }
  if (counts_some) { PENSTOCK_ASSIGN(argument, builder.cast(argument, Type{Kind::boolean})); }
  if (call["filter"]) {
    PENSTOCK_ASSIGN(NodeId condition, value(builder, call["filter"], rows.columns, "FILTER"));
    PENSTOCK_ASSIGN(condition, builder.cast(condition, Type{Kind::boolean}));
    PENSTOCK_ASSIGN(argument,
                    builder.select(condition, argument,
                                   builder.literal(Scalar::null_of(builder.type(argument)))));
  }
  const Type type = builder.type(argument);
  const bool is_date = is_date_or_timestamp(type);
  if (row && row->function == Aggregate::average && is_date) {
    PENSTOCK_ASSIGN(argument, builder.unary(Op::epoch_microseconds, argument));
    output.is_moment = true;
  }
  if (is_reduction(name)) {
    const auto reduction = reduction_named(name, type);
    if (!reduction) return refuse(call, name + " of " + name_of(type));
    if (added.distinct && !ignores_repeated(name)) {
      StatisticCall of_distinct;
      of_distinct.function = Statistic::reduction;
      of_distinct.arguments = {aggregation.computed->add(argument)};
      of_distinct.distinct = true;
      of_distinct.custom = reduction;
      aggregation.outputs.push_back({aggregation.statistics.size(), true, false, output.stated});
      aggregation.statistics.push_back(std::move(of_distinct));
      return {};
    }
    added.distinct = false;
    added.custom = reduction;
  }
  aggregation.outputs.push_back(output);
  // Any value may stand for the first. The approximate number of values is exact here.
  added.distinct |= is_approximate;
  added.function = counts_rows && !call["filter"]  ? Aggregate::count_rows
                   : counts_some                   ? Aggregate::sum
                   : counts_rows || is_approximate ? Aggregate::count
                   : row                           ? row->function
                   : added.custom                  ? Aggregate::custom
                                                   : Aggregate::minimum;
  if (plan::takes_argument(added.function)) added.argument = aggregation.computed->add(argument);
  aggregation.calls.push_back(std::move(added));
  return {};
}

// Reads the inputs, to find what else is not supported.
Status PlanReader::refused_aggregate(const Tree& call, const std::string& name,
                                     const PlanRows& rows, Aggregation& aggregation) {
  static_cast<void>(refuse(call, name.empty() ? "avg of DATE" : "the aggregate " + name));
  if (!name.empty())
    for (const Tree& input : inputs_of(call))
      PENSTOCK_TRY(
          value(aggregation.computed->builder(), input, rows.columns, "an aggregate").status());
  aggregation.outputs.push_back({aggregation.calls.size(), false, false, stated_type(call), true});
  aggregation.calls.push_back({Aggregate::count_rows, 0, name, {}});
  return {};
}

Status PlanReader::add_statistic(const Tree& call, const NamedStatistic& named,
                                 const PlanRows& rows, Aggregation& aggregation) {
  const auto added = statistic_call(call, named, *aggregation.computed);
  if (!added) {
    const std::size_t count = inputs_of(call).size();
    const auto type = stated_type(call);
    const bool is_list = !type || is_nested(*type);
    const std::string form = count > 2                ? " of " + std::to_string(count) + " values"
                             : is_list                ? " with a list of results"
                             : width_bytes(*type) > 8 ? " of " + name_of(*type)
                                                      : " in this form";
    return refused_aggregate(call, std::string(named.name) + form, rows, aggregation);
  }
  aggregation.outputs.push_back({aggregation.statistics.size(), true, false, stated_type(call)});
  aggregation.statistics.push_back(*added);
  return {};
}

// Returns the call with its columns; nothing where it has another form.
std::optional<StatisticCall> PlanReader::statistic_call(const Tree& call,
                                                        const NamedStatistic& named,
                                                        Computed& computed) {
  const std::vector<Tree> inputs = inputs_of(call);
  const bool has_separator = named.function == Statistic::concatenation && inputs.size() == 2,
             has_share = (named.function == Statistic::quantile ||
                          named.function == Statistic::discrete_quantile) &&
                         named.name != "median";
  const std::size_t options = has_separator || (has_share && inputs.size() == 2) ? 1 : 0;
  const std::optional<Type> stated = stated_type(call);
  if (inputs.size() != named.arguments + options || !stated) return std::nullopt;
  if (has_share && is_nested(*stated)) return std::nullopt;
  StatisticCall added;
  added.function = named.function;
  added.distinct = call["aggregate_type"].text() == "DISTINCT";
  added.keeps_nulls = named.keeps_nulls;
  const auto column = [&](const Tree& expression) -> std::optional<std::uint32_t> {
    const Result<std::uint32_t> found = computed.column(expression, "an aggregate");
    if (!found.ok()) return problems_.pass(found.status()), std::nullopt;
    return *found;
  };
  const bool has_sort_key = named.arguments == 2 && named.function == Statistic::first &&
                            function_name(inputs[1]) == "create_sort_key";
  for (std::size_t i = 0; i < named.arguments - (has_sort_key ? 1 : 0); i++) {
    const auto found = column(inputs[i]);
    if (!found) return std::nullopt;
    added.arguments.push_back(*found);
  }
  if (call["filter"]) {
    added.condition = column(call["filter"]);
    if (!added.condition) return std::nullopt;
  }
  if (has_share) {
    const auto share = share_of(call);
    if (!share) return std::nullopt;
    added.share = *share;
    added.descending = call["function_data"]["desc"].boolean();
  }
  if (named.function == Statistic::concatenation) {
    const auto separator = separator_of(call);
    if (!separator) return std::nullopt;
    added.separator = *separator;
  }
  if (named.function == Statistic::first && !add_order(call, named, computed, added))
    return std::nullopt;
  if (named.function == Statistic::concatenation || named.function == Statistic::list) {
    const auto keys = sort_keys(call["order_bys"]["orders"], computed);
    if (!keys.ok()) return problems_.pass(keys.status()), std::nullopt;
    added.order = *keys;
  }
  const Type type = computed.type(added.arguments[0]);
  if (named.name == "median" && !can_be_between(type))
    added.function = Statistic::discrete_quantile;
  // Between two such values a DOUBLE would lose digits.
  if (added.function == Statistic::quantile && relation::has_128_bits(type)) return std::nullopt;
  return added;
}

// The order of first(x ORDER BY y), or that of arg_min(x, y). DuckDB writes the first as
// arg_min(x, create_sort_key(y, 'ASC NULLS LAST')).
bool PlanReader::add_order(const Tree& call, const NamedStatistic& named, Computed& computed,
                           StatisticCall& added) {
  const std::vector<Tree> inputs = inputs_of(call);
  if (named.arguments == 1) {
    const auto keys = sort_keys(call["order_bys"]["orders"], computed);
    if (!keys.ok()) return problems_.pass(keys.status()), false;
    added.order = *keys;
    for (SortKey& key : added.order) {
      if (!named.descending) break;
      key.descending = !key.descending;
      key.nulls_first = !key.nulls_first;
    }
    return true;
  }
  if (added.arguments.size() == 2) {
    added.order = {{added.arguments[1], named.descending, false}};
    return true;
  }
  const std::vector<Tree> keys = inputs_of(inputs[1]);
  for (std::size_t i = 0; i + 1 < keys.size(); i += 2) {
    const Result<std::uint32_t> column = computed.column(keys[i], "ORDER BY");
    if (!column.ok()) return problems_.pass(column.status()), false;
    const std::string_view words = keys[i + 1]["value"]["value"].text();
    SortKey key{*column, words.starts_with("DESC"), words.ends_with("NULLS FIRST")};
    if (named.descending) {
      key.descending = !key.descending;
      key.nulls_first = !key.nulls_first;
    }
    added.order.push_back(key);
  }
  return !added.order.empty();
}

}  // namespace penstock::sql
