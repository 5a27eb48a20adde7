#include "expr/emit_operation.hpp"

#include <algorithm>

#include "expr/emit_parts.hpp"
#include "expr/string_functions.hpp"

namespace penstock::expr {
namespace {

Printed print_custom(const Node& node, std::span<const Operand> inputs,
                     const EmittedCustom& custom) {
  std::string arguments, guard = custom.guard;
  for (const Operand& input : inputs) {
    arguments += (arguments.empty() ? "" : ", ") + input.value;
    if (input.fault != "0u") guard += (guard.empty() ? "" : " && ") + input.fault + " == 0u";
  }
  Printed printed;
  printed.value = custom.name + "(" + arguments + ")";
  if (node.type.kind == Kind::boolean) printed.value = "(u32)(" + printed.value + " != 0u)";
  // The body sees present values only: what a NULL's bits are is nobody's promise.
  if (const std::string valid = all_valid(inputs); valid != "1u")
    guard += (guard.empty() ? "(" : " && (") + valid + ") != 0u";
  if (!guard.empty())
    printed.value = guard + " ? " + printed.value + " : " + zero_constant(node.type);
  return printed;
}

// Returns whether a value of 128 bits is computed, or read for more than a comparison.
bool computes_wide(const Node& node, std::span<const Operand> inputs) {
  if (node.op == Op::custom || is_comparison(node.op)) return false;
  return is_wide(node.type) ||
         std::ranges::any_of(inputs, [](const Operand& input) { return is_wide(input.type); });
}

Result<Printed> print_strict(const Graph& graph, const Node& node, std::span<const Operand> inputs,
                             unsigned number, const EmittedCustom& custom) {
  const Operand& a = inputs[0];
  if (computes_wide(node, inputs)) return print_wide(graph, node, inputs, number);
  if (node.op == Op::cast) return print_cast(a, node.type);
  if (node.op == Op::custom) return print_custom(node, inputs, custom);
  if (node.op == Op::negate || node.op == Op::absolute) return print_sign(node, a);
  if (is_rounding(node.op) && node.type.kind == Kind::decimal) return print_rounding(node, a);
  if (is_date_part(node.op)) return print_date_part(node.op, a);
  if (is_date_start(node.op)) return print_date_start(node.op, a);
  if (node.op == Op::epoch_microseconds) return print_epoch(a);
  if (node.op == Op::require) return print_requirement(a);
  Printed printed;
  if (is_comparison(node.op)) {
    PENSTOCK_ASSIGN(printed.value, print_comparison(node.op, a, inputs[1]));
    return printed;
  }
  const OperationKind kind = row_of(node.op).kind;
  if (kind == OperationKind::bits || kind == OperationKind::complement)
    printed.value = print_bits(node.op, node.type, a.value, inputs[inputs.size() - 1].value);
  else if (node.op == Op::not_)
    printed.value = a.value + " ^ 1u";
  else if (is_float_function(node.op))
    printed.value = print_math(node, a);
  else
    return print_binary(graph, node, a, inputs[1]);
  return printed;
}

}  // namespace

Result<Printed> print_operation(const Graph& graph, const Node& node,
                                std::span<const Operand> inputs, unsigned number,
                                const EmittedCustom& custom) {
  if (node.op == Op::custom && graph.custom_functions[node.payload]->body.empty())
    return no_string_column();
  if (node.type.kind == Kind::string && node.op != Op::select && node.op != Op::coalesce)
    return Status(Code::unsupported, "strings can be carried, chosen and compared");
  switch (node.op) {
    case Op::and_:
    case Op::or_: return print_connective(node, inputs[0], inputs[1]);
    case Op::select: return print_select(inputs);
    case Op::coalesce: return print_coalesce(inputs);
    case Op::least:
    case Op::greatest: return print_extreme(node, inputs, number);
    case Op::is_null: return print_is_null(inputs[0]);
    default: break;
  }
  PENSTOCK_ASSIGN(Printed printed, print_strict(graph, node, inputs, number, custom));
  printed.valid = all_valid(inputs);
  return printed;
}

}  // namespace penstock::expr
