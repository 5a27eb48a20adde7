// Semi and anti joins whose further condition is that two columns differ: orders that another
// supplier delivers, too. A group of partners has another value than x if its least or its greatest
// value is another. So each key is looked up once, and no pair is made.
#include <array>

#include "relation/lowering.hpp"

namespace penstock::relation {
std::optional<Lowering::Differing> Lowering::differing_columns(const RelationJoin& join,
                                                               StepId left, StepId right) const {
  if (!join.residual || join.keys.empty()) return {};
  const Node& node = join.graph->at(*join.residual);
  if (node.op != Op::not_equal) return {};
  std::array<const Node*, 2> sides{&join.graph->at(node.inputs[0]),
                                   &join.graph->at(node.inputs[1])};
  if (sides[0]->op != Op::column || sides[1]->op != Op::column) return {};
  if (sides[0]->payload > sides[1]->payload) std::swap(sides[0], sides[1]);
  const std::uint32_t first = width(left), end = first + width(right);
  const bool is_pair = sides[0]->payload < first && sides[1]->payload >= first &&
                       sides[1]->payload < end && sides[0]->type == sides[1]->type;
  if (!is_pair || sides[0]->type.kind == Kind::string || has_128_bits(sides[0]->type)) return {};
  return Differing{sides[0]->payload, sides[1]->payload - first};
}

Result<StepId> Lowering::half_by_extremes(const RelationJoin& join, Differing columns,
                                          JoinKind kind, StepId left, StepId right) {
  Builder values(schema(right));
  RelationJoin by_keys;
  std::vector<Projection> keys;
  for (const RelationKey& key : join.keys) {
    by_keys.keys.push_back({key.left, static_cast<std::uint32_t>(keys.size()), key.null_is_equal});
    keys.push_back({schema(right)[key.right].name, values.column(key.right)});
  }
  const NodeId value = values.column(columns.right);
  const auto first = width(left) + static_cast<std::uint32_t>(keys.size());
  PENSTOCK_ASSIGN(const StepId groups, plan_.group_by(right, values.graph(), std::move(keys),
                                                      {{Aggregate::minimum, value, "least", {}},
                                                       {Aggregate::maximum, value, "greatest", {}}},
                                                      true));
  PENSTOCK_ASSIGN(const StepId rows, outer(by_keys, left, groups));
  Builder builder(schema(rows));
  const NodeId own = builder.column(columns.left);
  PENSTOCK_ASSIGN(const NodeId is_below, builder.binary(Op::not_equal, builder.column(first), own));
  PENSTOCK_ASSIGN(const NodeId is_above,
                  builder.binary(Op::not_equal, builder.column(first + 1), own));
  PENSTOCK_ASSIGN(const NodeId either, builder.binary(Op::or_, is_below, is_above));
  PENSTOCK_ASSIGN(NodeId has_partner,
                  builder.variadic(Op::coalesce, {either, builder.literal(Scalar::of(false))}));
  if (kind == JoinKind::anti) {
    PENSTOCK_ASSIGN(has_partner, builder.unary(Op::not_, has_partner));
  }
  PENSTOCK_ASSIGN(const StepId kept, plan_.filter(rows, builder.graph(), has_partner));
  return keep_columns(plan_, kept, columns_from(0, width(left)));
}

}  // namespace penstock::relation
