#include "expr/narrow.hpp"

#include <algorithm>
#include <map>

namespace penstock::expr {
namespace {

constexpr Int128 largest_narrow = power_of_ten(max_decimal_digits) - 1;

// A value in at most 64 bits, and the largest distance of its count from 0.
struct Bounded {
  NodeId node = 0;
  Int128 largest = 0;
};
using MayBeBounded = Result<std::optional<Bounded>>;

Int128 distance(Int128 value) { return value < 0 ? -value : value; }

Type narrow_type(Type type) {
  return type.kind == Kind::int128 ? Type{Kind::int64}
                                   : Type::decimal(max_decimal_digits, type.scale);
}

class Narrowing {
 public:
  Narrowing(Builder& rows, const RangeOfColumn& range_of) : rows_(rows), range_of_(range_of) {}

  // Nodes are shared: each is looked at once.
  MayBeBounded of(NodeId id) {
    if (const auto seen = seen_.find(id); seen != seen_.end()) return seen->second;
    PENSTOCK_ASSIGN(const auto found, look_at(id));
    return seen_[id] = found;
  }

 private:
  MayBeBounded look_at(NodeId id) {
    const Node node = rows_.graph()->at(id);  // a copy: the graph grows
    if (!is_wide(node.type)) return of_short(id, node);
    if (scale_of(node.type) > max_decimal_digits) return none();
    switch (node.op) {
      case Op::parameter: return of_constant(rows_.graph()->parameters[node.payload]);
      case Op::cast: return of_cast(node);
      case Op::negate:
      case Op::absolute: return of_sign(node);
      case Op::add:
      case Op::subtract:
      case Op::multiply: return of_arithmetic(node);
      case Op::select: return of_choice(node, 1);
      case Op::coalesce: return of_choice(node, 0);
      default: return none();
    }
  }

  static MayBeBounded none() { return std::optional<Bounded>(); }

  MayBeBounded bounded(NodeId node, Type type, Int128 largest) const {
    if (largest > largest_narrow || rows_.type(node) != narrow_type(type)) return none();
    return std::optional(Bounded{node, largest});
  }

  MayBeBounded of_short(NodeId id, const Node& node) const {
    if (!is_integer(node.type) && node.type.kind != Kind::decimal) return none();
    Range range = range_of(node.type);
    if (node.op == Op::column)
      if (const auto known = range_of_(node.payload)) range = *known;
    return std::optional(Bounded{id, std::max(distance(range.minimum), distance(range.maximum))});
  }

  MayBeBounded of_constant(const Scalar& value) const {
    const Type type = narrow_type(value.type);
    if (value.is_null) return std::optional(Bounded{rows_.literal(Scalar::null_of(type)), 0});
    if (distance(value.integer) > largest_narrow) return none();
    return bounded(rows_.literal(Scalar::of(type, value.integer)), type, distance(value.integer));
  }

  MayBeBounded of_cast(const Node& node) {
    PENSTOCK_ASSIGN(const auto input, of(node.inputs[0]));
    if (!input) return none();
    const int more_places = scale_of(node.type) - scale_of(rows_.type(input->node));
    if (more_places < 0 || input->largest > largest_narrow) return none();
    PENSTOCK_ASSIGN(const NodeId cast, rows_.cast(input->node, narrow_type(node.type)));
    return bounded(cast, node.type, input->largest * power_of_ten(more_places));
  }

  MayBeBounded of_sign(const Node& node) {
    PENSTOCK_ASSIGN(const auto input, of(node.inputs[0]));
    if (!input) return none();
    PENSTOCK_ASSIGN(const NodeId value, rows_.unary(node.op, input->node));
    return bounded(value, node.type, input->largest);
  }

  MayBeBounded of_arithmetic(const Node& node) {
    PENSTOCK_ASSIGN(const auto a, of(node.inputs[0]));
    if (!a) return none();
    PENSTOCK_ASSIGN(const auto b, of(node.inputs[1]));
    if (!b || a->largest > largest_narrow || b->largest > largest_narrow) return none();
    PENSTOCK_ASSIGN(const NodeId value, rows_.binary(node.op, a->node, b->node));
    return bounded(value, node.type,
                   node.op == Op::multiply ? a->largest * b->largest : a->largest + b->largest);
  }

  // Inputs before `first` are a condition.
  MayBeBounded of_choice(const Node& node, std::size_t first) {
    std::vector<NodeId> values(node.inputs.begin(),
                               node.inputs.begin() + static_cast<std::ptrdiff_t>(first));
    Int128 largest = 0;
    for (std::size_t i = first; i < node.inputs.size(); i++) {
      PENSTOCK_ASSIGN(const auto input, of(node.inputs[i]));
      if (!input) return none();
      values.push_back(input->node);
      largest = std::max(largest, input->largest);
    }
    Result<NodeId> value = node.op == Op::select ? rows_.select(values[0], values[1], values[2])
                                                 : rows_.variadic(node.op, std::move(values));
    PENSTOCK_TRY(value.status());
    return bounded(*value, node.type, largest);
  }

  Builder& rows_;
  const RangeOfColumn& range_of_;
  std::map<NodeId, std::optional<Bounded>> seen_;
};

}  // namespace

Result<std::optional<NodeId>> narrowed(Builder& rows, NodeId wide, const RangeOfColumn& range_of) {
  PENSTOCK_ASSIGN(const auto found, Narrowing(rows, range_of).of(wide));
  return found ? std::optional(found->node) : std::nullopt;
}

}  // namespace penstock::expr
