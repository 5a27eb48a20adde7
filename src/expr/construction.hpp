// Makes an operation type-exact for Builder: casts its inputs and finds its result type, by the
// rules of promotion.hpp. Refuses an operation by name if nothing can compute with its result type.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "expr/operation.hpp"
#include "expr/value.hpp"
#include "penstock/detail/promotion.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

inline constexpr Type boolean_type{Kind::boolean}, int32_type{Kind::int32}, int64_type{Kind::int64},
    float64_type{Kind::float64}, timestamp_type{Kind::timestamp};

Status cannot(Op op, std::initializer_list<Type> types);  // "cannot add DATE and DOUBLE"

// The type in which values of `met` are computed: it has up to 18 digits, unless an input has more
// already. Beyond 38 digits, digits after the point are dropped, as in DuckDB.
inline Type computed_type(Type met, bool is_wide) {
  if (met.kind != Kind::decimal) return met;
  if (!is_wide) return Type::decimal(std::min<int>(met.precision, max_decimal_digits), met.scale);
  if (met.precision <= max_wide_digits) return met;
  return Type::decimal(max_wide_digits, max_wide_digits - (met.precision - met.scale));
}

// Constructs nodes in `graph`. Literals adapt to the other inputs.
class Construction {
 public:
  explicit Construction(Graph& graph) : graph_(graph) {}

  Type type(NodeId id) const { return graph_.at(id).type; }
  const Scalar* parameter(NodeId id, bool also_fixed = false) const {
    const Node& node = graph_.at(id);
    if (node.op != Op::parameter) return nullptr;
    const ParameterOrigin origin = graph_.parameter_origins[node.payload];
    const bool wanted =
        origin == ParameterOrigin::literal || (also_fixed && origin == ParameterOrigin::fixed);
    return wanted ? &graph_.parameters[node.payload] : nullptr;
  }
  bool is_null_literal(NodeId id) const {
    const Scalar* value = parameter(id);
    return value && value->is_null;
  }

  // Adds a strict operation. An operation on constants alone is computed here, unless it faults: a
  // fault counts only if the value is used.
  NodeId add(Op op, Type result, std::vector<NodeId> inputs) {
    const Node node{op, result, false, 0, std::move(inputs)};
    std::vector<Scalar> values;
    for (NodeId input : node.inputs)
      if (const Scalar* value = parameter(input, true)) values.push_back(*value);
    if (values.size() < node.inputs.size()) return graph_.add(node);
    if (std::any_of(values.begin(), values.end(),
                    [](const Scalar& value) { return value.is_null; }))
      return graph_.parameter(Scalar::null_of(result));
    EvaluatedScalar evaluated = apply(graph_, node, values);
    return evaluated.fault == Code::ok ? graph_.parameter(std::move(evaluated.value))
                                       : graph_.add(node);
  }

  // Calls a function of strings. A NULL constant makes the call NULL; a call on constants alone is
  // computed here.
  NodeId call(const std::shared_ptr<const CustomFunction>& function, std::vector<NodeId> inputs) {
    std::vector<Scalar> values;
    for (NodeId input : inputs)
      if (const Scalar* value = parameter(input, true)) values.push_back(*value);
    if (std::any_of(values.begin(), values.end(),
                    [](const Scalar& value) { return value.is_null; }))
      return graph_.parameter(Scalar::null_of(function->result_type));
    if (values.size() == inputs.size()) return graph_.parameter(function->host(values));
    return graph_.add(
        {Op::custom, function->result_type, false, graph_.custom(function), std::move(inputs)});
  }
  bool is_constant(NodeId id) const { return graph_.at(id).op == Op::parameter; }

  NodeId cast(NodeId id, Type to) {
    if (type(id) == to) return id;
    return is_null_literal(id) ? graph_.parameter(Scalar::null_of(to)) : add(Op::cast, to, {id});
  }

  // Changes only a decimal's scale; the result has at most `max_digits` digits.
  NodeId rescale(NodeId id, int scale, int max_digits) {
    const Type from =
        type(id).kind == Kind::decimal ? type(id) : Type::decimal(integer_digits(type(id).kind), 0);
    if (type(id).kind == Kind::decimal && from.scale == scale) return id;
    return cast(
        id, Type::decimal(std::clamp(from.precision + scale - from.scale, 1, max_digits), scale));
  }

  // Casts literals to the type of the other inputs where their values fit.
  void adapt(std::span<NodeId> ids) {
    std::optional<Type> fixed;
    for (NodeId id : ids)
      if (!parameter(id))
        fixed = fixed ? meet(*fixed, type(id), Meeting::comparison).value_or(*fixed) : type(id);
    const std::optional<Type> other = fixed ? fixed : first_present(ids);
    for (NodeId& id : ids)
      if (const Scalar* value = parameter(id); value && other)
        id = adapted(id, *value, fixed, *other);
  }

 private:
  std::optional<Type> first_present(std::span<const NodeId> ids) const {
    for (NodeId id : ids)
      if (!is_null_literal(id)) return type(id);
    return std::nullopt;
  }

  NodeId adapted(NodeId id, const Scalar& value, std::optional<Type> fixed, Type other) {
    if (value.is_null) return graph_.parameter(Scalar::null_of(other));
    const bool is_whole = is_integer(value.type) || value.type.kind == Kind::int128;
    if (!fixed || !is_whole || !is_integer(other)) return id;
    const Range range = range_of(other);
    return value.integer < range.minimum || value.integer > range.maximum ? id : cast(id, other);
  }

  Graph& graph_;
};

Result<NodeId> to_boolean(Construction& c, Op op, NodeId id);
Result<NodeId> date_arithmetic(Construction& c, Op op, NodeId left, NodeId right);
Result<NodeId> decimal_arithmetic(Construction& c, Op op, NodeId left, NodeId right, Type met);
Result<NodeId> arithmetic(Construction& c, Op op, NodeId left, NodeId right);
Result<NodeId> bits(Construction& c, Op op, NodeId left, NodeId right);
Result<NodeId> compare_nodes(Construction& c, Op op, NodeId left, NodeId right);
// Casts select's branches, or the inputs of coalesce, least and greatest, to one type and returns
// it.
Result<Type> unify(Construction& c, Op op, std::span<NodeId> ids);
Result<NodeId> negate(Construction& c, Graph& graph, NodeId input);
Result<NodeId> rounding(Construction& c, Op op, NodeId input);

}  // namespace penstock::expr
