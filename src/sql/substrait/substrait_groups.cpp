// Aggregates of Substrait's plans.
#include <algorithm>
#include <numeric>

#include "sql/parse/suggestions.hpp"
#include "sql/substrait/substrait_reader.hpp"

namespace penstock::sql {
namespace {

using KeyLists = std::vector<std::vector<std::uint32_t>>;

struct RenamedAggregate {
  std::string_view name, ours;
};
constexpr RenamedAggregate renamed[] = {{"mean", "avg"},
                                        {"std_dev", "stddev_samp"},
                                        {"stddev_population", "stddev_pop"},
                                        {"var", "var_samp"},
                                        {"variance", "var_samp"},
                                        {"var_sample", "var_samp"},
                                        {"var_population", "var_pop"}};

std::string our_name(std::string_view name) {
  const auto found = std::ranges::find(renamed, name, &RenamedAggregate::name);
  return std::string(found == std::end(renamed) ? name : found->ours);
}

// The keys of an aggregate, as expressions, and sets of them by number.
struct GroupingKeys {
  std::vector<Tree> expressions;
  KeyLists sets;
};

// Older plans have the expressions within the sets. DataFusion's have them in both forms. Nothing
// where a set refers to an expression that there is not.
std::optional<GroupingKeys> keys_of(const Tree& body) {
  GroupingKeys keys;
  const Tree listed = body["groupingExpressions"], groupings = body["groupings"];
  for (std::size_t i = 0; groupings.size() > 0 && i < listed.size(); i++)
    keys.expressions.push_back(listed.at(i));
  for (std::size_t i = 0; i < groupings.size(); i++) {
    const Tree numbers = groupings.at(i)["expressionReferences"],
               within = groupings.at(i)["groupingExpressions"];
    keys.sets.emplace_back();
    for (std::size_t k = 0; k < numbers.size(); k++) {
      const auto number = static_cast<std::uint64_t>(number_of(numbers.at(k)));
      if (number >= listed.size()) return std::nullopt;
      keys.sets.back().push_back(static_cast<std::uint32_t>(number));
    }
    for (std::size_t k = 0; listed.size() == 0 && k < within.size(); k++) {
      keys.sets.back().push_back(static_cast<std::uint32_t>(keys.expressions.size()));
      keys.expressions.push_back(within.at(k));
    }
  }
  return keys;
}

// The expressions of an aggregate that may hold subqueries.
std::vector<Tree> expressions_of(const GroupingKeys& keys, const Tree& measures) {
  std::vector<Tree> expressions = keys.expressions;
  for (std::size_t i = 0; i < measures.size(); i++) {
    if (const Tree filter = measures.at(i)["filter"]) expressions.push_back(filter);
    const Tree arguments = measures.at(i)["measure"]["arguments"];
    for (std::size_t k = 0; k < arguments.size(); k++)
      expressions.push_back(arguments.at(k)["value"]);
  }
  return expressions;
}

bool is_constant(const Tree& argument) {
  const Tree literal = argument["value"]["literal"];
  return literal && !literal["null"];
}

// GROUPING() of all keys: a bit for each key that the set lacks, the first key's the highest.
std::int64_t bits_of(const std::vector<std::uint32_t>& set, std::size_t key_count) {
  std::int64_t bits = 0;
  for (std::uint32_t key = 0; key < key_count; key++)
    bits = bits << 1 | static_cast<std::int64_t>(std::ranges::find(set, key) == set.end());
  return bits;
}

std::vector<std::uint32_t> all_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// DataFusion's id of a grouping set has as many bits as keys need.
Type type_of_grouping_id(std::size_t key_count) {
  if (key_count <= 8) return Type{Kind::uint8};
  if (key_count <= 16) return Type{Kind::uint16};
  return Type{key_count <= 32 ? Kind::uint32 : Kind::uint64};
}

}  // namespace

std::optional<Type> unstated_type(std::string_view name, std::optional<Type> argument) {
  constexpr int max_digits = 38;
  if (name == "count") return Type{Kind::int64};
  if (name == "bool_and" || name == "bool_or") return Type{Kind::boolean};
  if (name.starts_with("std") || name.starts_with("var")) return Type{Kind::float64};
  if (name != "sum" && name != "avg") return argument;
  if (argument && argument->kind == Kind::decimal) {
    const int digits = name == "sum" ? 10 : 4, places = name == "sum" ? 0 : 4;
    return Type::decimal(std::min(max_digits, argument->precision + digits),
                         std::min(max_digits, argument->scale + places));
  }
  if (name == "avg" || !argument || is_float(*argument)) return Type{Kind::float64};
  return Type{is_signed(*argument) ? Kind::int64 : Kind::uint64};
}

// The aggregates of a relation, and what its columns are: the keys, then the results.
struct SubstraitReader::Grouping {
  ComputedColumns computed;
  Aggregates aggregates;
  std::vector<std::optional<Type>> types;
  std::map<std::uint32_t, std::uint32_t> keys;  // by column of the input: its number

  Grouping(RelationWriter& writer, RelationId input)
      : computed(writer, input), aggregates(writer, computed) {}
};

// Adds the keys of the sets. An expression that stands in several sets is one key.
Status SubstraitReader::add_keys(const std::vector<Tree>& expressions, const SubstraitRows& rows,
                                 Grouping& grouping, KeyLists& sets) {
  std::vector<std::uint32_t> numbers;  // by expression
  for (const Tree& expression : expressions) {
    PENSTOCK_ASSIGN(const SubstraitColumn column,
                    add(grouping.computed, expression, rows.columns, "GROUP BY"));
    const auto next = static_cast<std::uint32_t>(grouping.keys.size());
    const auto [place, is_new] = grouping.keys.emplace(column.place, next);
    numbers.push_back(place->second);
    if (!is_new) continue;
    grouping.aggregates.add_key(column.place);
    grouping.types.push_back(column.type);
  }
  for (std::vector<std::uint32_t>& set : sets)
    for (std::uint32_t& key : set) key = numbers[key];
  return {};
}

Result<SubstraitRows> SubstraitReader::aggregate(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows rows, input(body));
  std::optional<GroupingKeys> keys = keys_of(body);
  if (!keys) return Status(Code::invalid, "the plan groups by an expression that it lacks");
  const Tree measures = body["measures"];
  PENSTOCK_TRY(prepare(rows, expressions_of(*keys, measures)));
  Grouping grouping(*this, rows.relation);
  PENSTOCK_TRY(add_keys(keys->expressions, rows, grouping, keys->sets));
  for (std::size_t i = 0; i < measures.size(); i++)
    PENSTOCK_TRY(add_measure(measures.at(i), rows, grouping));
  const std::size_t key_count = grouping.keys.size();
  KeyLists groupings;
  if (keys->sets.size() > 1) groupings.push_back(all_numbers(key_count));
  PENSTOCK_ASSIGN(const RelationColumns found, grouping.aggregates.finish(keys->sets, groupings));
  SubstraitRows result{found.relation, {}};
  for (std::size_t i = 0; i < grouping.types.size(); i++)
    result.columns.push_back({found.columns[i], grouping.types[i]});
  if (groupings.empty()) return result;
  return with_set_number(std::move(result), found.columns.back(), keys->sets, key_count);
}

// Returns the number of a set among the sets, by the bits of its GROUPING().
Result<NodeId> SubstraitReader::set_number(Builder& builder, NodeId bits, const KeyLists& sets,
                                           std::size_t key_count) {
  NodeId number = builder.literal(Scalar::of(std::int32_t{0}));
  for (std::size_t i = 1; i < sets.size(); i++) {
    const NodeId bits_of_set = builder.literal(Scalar::of(bits_of(sets[i], key_count)));
    PENSTOCK_ASSIGN(const NodeId is_set, builder.binary(Op::equal, bits, bits_of_set));
    const NodeId found = builder.literal(Scalar::of(static_cast<std::int32_t>(i)));
    PENSTOCK_ASSIGN(number, builder.select(is_set, found, number));
  }
  return number;
}

// The standard has the number of the set behind the results. DataFusion has its id of the set
// behind the keys.
Result<SubstraitRows> SubstraitReader::with_set_number(SubstraitRows rows, std::uint32_t grouping,
                                                       const KeyLists& sets,
                                                       std::size_t key_count) {
  ComputedColumns computed(*this, rows.relation);
  Builder& builder = computed.builder();
  NodeId number = builder.column(grouping);
  Type type = type_of_grouping_id(key_count);
  std::size_t place = key_count;
  if (!plan_.is_datafusion) {
    PENSTOCK_ASSIGN(number, set_number(builder, number, sets, key_count));
    type = Type{Kind::int32};
    place = rows.columns.size();
  }
  PENSTOCK_ASSIGN(number, builder.cast(number, type));
  rows.columns.insert(rows.columns.begin() + static_cast<std::ptrdiff_t>(place),
                      SubstraitColumn{computed.add(number), type});
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return rows;
}

// Returns the type of the argument.
Result<std::optional<Type>> SubstraitReader::add_argument(const Tree& arguments,
                                                          const SubstraitRows& rows,
                                                          Grouping& grouping,
                                                          AggregateRequest& request) {
  if (!Aggregates::knows(request.name))
    static_cast<void>(refuse("the aggregate " + request.name + " of Substrait's plan"));
  else if (arguments.size() != 1)
    static_cast<void>(refuse("the aggregate " + request.name + " of " +
                             std::to_string(arguments.size()) + " values"));
  Builder& builder = grouping.computed.builder();
  const TypedSyntax argument = syntax_of(builder, arguments.at(0)["value"], rows.columns);
  PENSTOCK_ASSIGN(request.argument, node_of(builder, argument, "an aggregate"));
  return argument.type ? argument.type : std::optional(builder.type(*request.argument));
}

Status SubstraitReader::add_measure(const Tree& measure, const SubstraitRows& rows,
                                    Grouping& grouping) {
  const Tree call = measure["measure"], arguments = call["arguments"];
  const std::string_view phase = call["phase"].text();
  if (phase.ends_with("_TO_INTERMEDIATE") || phase.ends_with("PHASE_INTERMEDIATE_TO_RESULT"))
    return refuse("a part of an aggregate, as machines share it,");
  AggregateRequest request;
  request.name = our_name(function_of(plan_, call));
  request.distinct = call["invocation"].text() == "AGGREGATION_INVOCATION_DISTINCT";
  const bool counts_rows = request.name == "count" && !request.distinct &&
                           (arguments.size() == 0 || is_constant(arguments.at(0)));
  std::optional<Type> argument;
  if (!counts_rows) { PENSTOCK_ASSIGN(argument, add_argument(arguments, rows, grouping, request)); }
  if (const Tree filter = measure["filter"]) {
    Builder& builder = grouping.computed.builder();
    PENSTOCK_ASSIGN(request.filter,
                    node_of(builder, syntax_of(builder, filter, rows.columns), "FILTER"));
  }
  std::optional<Type> type = stated_type(call);
  if (!type) type = unstated_type(request.name, argument);
  grouping.types.push_back(type);
  // Sums and extremes of decimals keep the digits that they have here.
  const bool keeps = type && type->kind == Kind::decimal && request.name != "avg";
  if (!keeps) request.stated = type;
  const bool is_known = counts_rows || Aggregates::knows(request.name);
  return grouping.aggregates.add(is_known ? request : AggregateRequest{"count"});
}

}  // namespace penstock::sql
