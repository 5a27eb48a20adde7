#include <algorithm>

#include "expr/operation.hpp"
#include "expr/value.hpp"

namespace penstock {
namespace {

using expr::EvaluatedScalar;

Evaluated null_result(Type type) { return {Scalar::null_of(type)}; }

// A state of Kleene's logic with faults: decided (the value that settles and_ or or_), undecided,
// NULL, or a fault.
Evaluated connect(const Node& node, const Evaluated& a, const Evaluated& b) {
  const Int128 deciding = node.op == Op::or_ ? 1 : 0;
  for (const Evaluated* side : {&a, &b})
    if (side->fault == Code::ok && !side->value.is_null && side->value.integer == deciding)
      return *side;
  for (const Evaluated* side : {&a, &b})
    if (side->fault != Code::ok) return *side;
  if (a.value.is_null || b.value.is_null) return null_result(node.type);
  return {Scalar::of(node.type, 1 - deciding)};
}

Evaluated extreme(const Node& node, std::span<const Evaluated> inputs) {
  const Evaluated* best = nullptr;
  for (const Evaluated& input : inputs) {
    if (input.fault != Code::ok) return input;
    if (input.value.is_null) continue;
    // If values are equal (-0.0 and 0.0), the first one stays.
    const int order = best ? expr::compare(input.value, best->value) : 0;
    if (!best || (node.op == Op::least ? order < 0 : order > 0)) best = &input;
  }
  return best ? *best : null_result(node.type);
}

Evaluated strict(const Graph& graph, NodeId id, std::span<const Evaluated> inputs) {
  const Node& node = graph.at(id);
  std::vector<Scalar> values;
  for (const Evaluated& input : inputs) {
    if (input.fault == Code::ok && input.value.is_null) return null_result(node.type);
    values.push_back(input.value);
  }
  for (const Evaluated& input : inputs)
    if (input.fault != Code::ok)
      return {Scalar::of(node.type, Int128{0}), input.fault, input.fault_node};
  EvaluatedScalar result = expr::apply(graph, node, values);
  return {std::move(result.value), result.fault, result.fault == Code::ok ? NodeId{0} : id};
}

Evaluated evaluate_node(const Graph& graph, NodeId id, std::span<const Evaluated> inputs,
                        std::span<const Scalar> row) {
  const Node& node = graph.at(id);
  switch (node.op) {
    case Op::column: return {row[node.payload]};
    case Op::parameter: return {graph.parameters[node.payload]};
    case Op::and_:
    case Op::or_: return connect(node, inputs[0], inputs[1]);
    case Op::least:
    case Op::greatest: return extreme(node, inputs);
    case Op::is_null:
      if (inputs[0].fault != Code::ok)
        return {Scalar::of(node.type, Int128{0}), inputs[0].fault, inputs[0].fault_node};
      return {Scalar::of(node.type, Int128{inputs[0].value.is_null})};
    case Op::select: {
      const Evaluated& condition = inputs[0];
      if (condition.fault != Code::ok)
        return {Scalar::of(node.type, Int128{0}), condition.fault, condition.fault_node};
      return !condition.value.is_null && condition.value.integer != 0 ? inputs[1] : inputs[2];
    }
    case Op::coalesce:
      for (const Evaluated& input : inputs)
        if (input.fault != Code::ok || !input.value.is_null) return input;
      return null_result(node.type);
    default: return strict(graph, id, inputs);
  }
}

}  // namespace

std::vector<Evaluated> evaluate(const Graph& graph, std::span<const NodeId> roots,
                                std::span<const Scalar> row) {
  const std::vector<bool> needed = expr::reachable(graph, roots);
  std::vector<Evaluated> results(graph.size());
  for (NodeId id = 0; id < graph.size(); id++) {
    if (!needed[id]) continue;
    std::vector<Evaluated> inputs;
    for (NodeId input : graph.at(id).inputs) inputs.push_back(results[input]);
    results[id] = evaluate_node(graph, id, inputs, row);
    results[id].value.type = graph.at(id).type;  // a decimal input may have had fewer digits
  }
  std::vector<Evaluated> values;
  for (NodeId root : roots) values.push_back(results[root]);
  return values;
}

}  // namespace penstock
