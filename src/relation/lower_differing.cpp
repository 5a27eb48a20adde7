// Semi and anti joins whose further condition is that two columns differ: orders that another
// supplier delivers, too. A group of partners has another value than x if its least or its greatest
// value is another. So each key is looked up once, and no pair is made. IS DISTINCT FROM, which
// planners write for <> in EXISTS, takes NULL for a value: a group counts whether it has one.
#include <array>

#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

bool is_null_test(const Graph& graph, NodeId id, const Node& column) {
  const Node& test = graph.at(id);
  if (test.op != Op::is_null) return false;
  const Node& input = graph.at(test.inputs[0]);
  return input.op == Op::column && input.payload == column.payload;
}

bool are_null_tests(const Graph& graph, const Node& pair, const Node& differs) {
  return is_null_test(graph, pair.inputs[0], graph.at(differs.inputs[0])) &&
         is_null_test(graph, pair.inputs[1], graph.at(differs.inputs[1]));
}

// Returns the <> within a IS DISTINCT FROM b as the binder writes it; nullptr for another select.
const Node* null_safe_difference(const Graph& graph, const Node& select) {
  const Node &either = graph.at(select.inputs[0]), &one = graph.at(select.inputs[1]),
             &differs = graph.at(select.inputs[2]);
  const bool is_it = either.op == Op::or_ && one.op == Op::not_equal &&
                     differs.op == Op::not_equal && are_null_tests(graph, either, differs) &&
                     are_null_tests(graph, one, differs);
  return is_it ? &differs : nullptr;
}

// Returns whether a row's value is another than one of its partners'. Their least and greatest
// value stand from `first` on. If NULL is a value, the number of values and of rows stand behind.
Result<NodeId> differs_from_one(Builder& builder, std::uint32_t first, NodeId own,
                                bool null_is_value) {
  const NodeId least = builder.column(first), greatest = builder.column(first + 1);
  PENSTOCK_ASSIGN(const NodeId is_below, builder.binary(Op::not_equal, least, own));
  PENSTOCK_ASSIGN(const NodeId is_above, builder.binary(Op::not_equal, greatest, own));
  PENSTOCK_ASSIGN(const NodeId either, builder.binary(Op::or_, is_below, is_above));
  if (!null_is_value) return either;
  PENSTOCK_ASSIGN(const NodeId has_null, builder.binary(Op::not_equal, builder.column(first + 2),
                                                        builder.column(first + 3)));
  PENSTOCK_ASSIGN(const NodeId of_value, builder.binary(Op::or_, either, has_null));
  PENSTOCK_ASSIGN(const NodeId no_value, builder.unary(Op::is_null, least));
  PENSTOCK_ASSIGN(const NodeId of_null, builder.unary(Op::not_, no_value));
  PENSTOCK_ASSIGN(const NodeId is_null, builder.unary(Op::is_null, own));
  return builder.select(is_null, of_null, of_value);
}

}  // namespace

std::optional<Lowering::Differing> Lowering::differing_columns(const RelationJoin& join,
                                                               StepId left, StepId right) const {
  if (!join.residual || join.keys.empty()) return {};
  const Node& condition = join.graph->at(*join.residual);
  const bool null_is_value = condition.op == Op::select;
  const Node* const node =
      null_is_value ? null_safe_difference(*join.graph, condition) : &condition;
  if (!node || node->op != Op::not_equal) return {};
  std::array<const Node*, 2> sides{&join.graph->at(node->inputs[0]),
                                   &join.graph->at(node->inputs[1])};
  if (sides[0]->op != Op::column || sides[1]->op != Op::column) return {};
  if (sides[0]->payload > sides[1]->payload) std::swap(sides[0], sides[1]);
  const std::uint32_t first = width(left), end = first + width(right);
  const bool is_pair = sides[0]->payload < first && sides[1]->payload >= first &&
                       sides[1]->payload < end && sides[0]->type == sides[1]->type;
  if (!is_pair || sides[0]->type.kind == Kind::string || has_128_bits(sides[0]->type)) return {};
  return Differing{sides[0]->payload, sides[1]->payload - first, null_is_value};
}

bool Lowering::is_worth_reducing(const Relation& relation) {
  constexpr double min_right_rows_per_left_row = 2;
  const bool is_half = relation.join.type == JoinType::semi || relation.join.type == JoinType::anti;
  return is_half && estimates_.rows_of(relation.inputs[0]) * min_right_rows_per_left_row <=
                        estimates_.rows_of(relation.inputs[1]);
}

// Only these keys are asked for: TPC-H 21 groups 4 % of lineitem.
Result<StepId> Lowering::reduced(const RelationJoin& join, StepId left, StepId right) {
  if (!differing_columns(join, left, right)) return right;
  RelationJoin by_keys;
  for (const RelationKey& key : join.keys)
    by_keys.keys.push_back({key.right, key.left, key.null_is_equal});
  return half(by_keys, JoinKind::semi, right, left);
}

// Groups the right rows by the keys of the join.
Result<StepId> Lowering::extremes_of(const RelationJoin& join, Differing columns, StepId right) {
  Builder values(schema(right));
  RelationAggregate groups;
  groups.graph = values.graph();
  for (const RelationKey& key : join.keys)
    groups.keys.push_back({schema(right)[key.right].name, values.column(key.right)});
  const NodeId value = values.column(columns.right);
  groups.aggregates = {{Aggregate::minimum, value, "least", {}},
                       {Aggregate::maximum, value, "greatest", {}}};
  if (columns.null_is_value) {
    groups.aggregates.push_back({Aggregate::count, value, "values", {}});
    groups.aggregates.push_back({Aggregate::count_rows, 0, "rows", {}});
  }
  const auto keys = static_cast<std::uint32_t>(groups.keys.size());
  return grouped(groups, columns_from(0, keys), {}, right);
}

Result<StepId> Lowering::half_by_extremes(const RelationJoin& join, Differing columns,
                                          JoinKind kind, StepId left, StepId right) {
  RelationJoin by_keys;
  std::uint32_t keys = 0;
  for (const RelationKey& key : join.keys)
    by_keys.keys.push_back({key.left, keys++, key.null_is_equal});
  PENSTOCK_ASSIGN(const StepId groups, extremes_of(join, columns, right));
  PENSTOCK_ASSIGN(const StepId rows, outer(by_keys, left, groups));
  Builder builder(schema(rows));
  PENSTOCK_ASSIGN(const NodeId differs,
                  differs_from_one(builder, width(left) + keys, builder.column(columns.left),
                                   columns.null_is_value));
  PENSTOCK_ASSIGN(NodeId has_partner,
                  builder.variadic(Op::coalesce, {differs, builder.literal(Scalar::of(false))}));
  if (kind == JoinKind::anti) {
    PENSTOCK_ASSIGN(has_partner, builder.unary(Op::not_, has_partner));
  }
  PENSTOCK_ASSIGN(const StepId kept, plan_.filter(rows, builder.graph(), has_partner));
  return keep_columns(plan_, kept, columns_from(0, width(left)));
}

}  // namespace penstock::relation
