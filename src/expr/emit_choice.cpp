// Emits operations that are not strict. They may have a value, and no fault, though an input is
// NULL or faulted.
#include <array>

#include "expr/emit_parts.hpp"

namespace penstock::expr {
namespace {

// Returns the expression that is 1 where a side alone decides: FALSE for AND, TRUE for OR.
std::string decides(bool is_and, const Operand& side) {
  std::string text = is_and ? "(" + side.value + " ^ 1u)" : side.value;
  if (side.valid != "1u") text = "(" + side.valid + " & " + text + ")";
  if (side.fault != "0u") text = "(" + text + " & (u32)(" + side.fault + " == 0u))";
  return text;
}

std::string first_fault(const Operand& a, const Operand& b) {
  if (a.fault == "0u") return b.fault;
  if (b.fault == "0u" || a.fault == b.fault) return a.fault;
  return "(" + a.fault + " != 0u ? " + a.fault + " : " + b.fault + ")";
}

std::string choose(const std::string& condition, const std::string& then,
                   const std::string& otherwise) {
  return then == otherwise ? then : condition + " ? " + then + " : " + otherwise;
}

// Adds a statement that chooses the better of `printed` and `next`; its variable becomes the value
// of `printed`.
void take_better(const Node& node, const Operand& next, const std::string& name, Printed& printed) {
  const Op op = node.op == Op::least ? Op::less : Op::greater;
  std::string better = is_float(node.type) || is_wide(node.type)
                           ? compare_by_functions(op, node.type, next.value, printed.value)
                           : compare_words(op, next.value, printed.value);
  if (printed.valid != "1u") better = "((" + printed.valid + " ^ 1u) | " + better + ")";
  if (next.valid != "1u") better = next.valid + " & " + better;
  printed.preparation += "  const " + kernel_type(node.type) + " " + name + " = " +
                         choice(node.type, "(" + better + ") != 0u", next.value, printed.value) +
                         ";\n";
  printed.value = name;
}

void take_validity_and_fault(const Operand& next, const std::string& name, Printed& printed) {
  const auto declare = [&](const char* ending, const std::string& expression) {
    printed.preparation += "  const u32 " + name + ending + " = " + expression + ";\n";
    return name + ending;
  };
  if (printed.valid == "1u" || next.valid == "1u")
    printed.valid = "1u";
  else
    printed.valid = declare("n", printed.valid + " | " + next.valid);
  if (printed.fault == "0u")
    printed.fault = next.fault;
  else if (next.fault != "0u" && next.fault != printed.fault)
    printed.fault = declare("e", printed.fault + " != 0u ? " + printed.fault + " : " + next.fault);
}

}  // namespace

Printed print_connective(const Node& node, const Operand& a, const Operand& b) {
  const bool is_and = node.op == Op::and_;
  Printed printed;
  printed.strict = false;
  printed.value = a.value + (is_and ? " & " : " | ") + b.value;
  const bool can_be_null = a.valid != "1u" || b.valid != "1u",
             can_be_fault = a.fault != "0u" || b.fault != "0u";
  if (!can_be_null && !can_be_fault) return printed;
  const std::string decided = decides(is_and, a) + " | " + decides(is_and, b);
  if (can_be_null) {
    printed.valid = decided + " | (" + all_valid(std::array{a, b}) + ")";
    for (const Operand* side : {&a, &b})
      if (side->fault != "0u") printed.valid += " | (u32)(" + side->fault + " != 0u)";
  }
  if (can_be_fault) printed.fault = "(" + decided + ") != 0u ? 0u : " + first_fault(a, b);
  return printed;
}

Printed print_select(std::span<const Operand> inputs) {
  const Operand &c = inputs[0], &then = inputs[1], &otherwise = inputs[2];
  const std::string chosen =
      c.valid == "1u" ? c.value + " != 0u" : "(" + c.valid + " & " + c.value + ") != 0u";
  Printed printed;
  printed.strict = false;
  printed.is_alias = then.value == otherwise.value;
  printed.value =
      printed.is_alias ? then.value : choice(then.type, chosen, then.value, otherwise.value);
  printed.valid = choose(chosen, then.valid, otherwise.valid);
  printed.fault = choose(chosen, then.fault, otherwise.fault);
  if (c.fault == "0u") return printed;
  if (printed.valid != "1u") printed.valid = c.fault + " != 0u ? 1u : " + printed.valid;
  printed.fault =
      printed.fault == "0u" ? c.fault : c.fault + " != 0u ? " + c.fault + " : " + printed.fault;
  return printed;
}

Printed print_coalesce(std::span<const Operand> inputs) {
  std::size_t last = 0;
  while (last + 1 < inputs.size() && inputs[last].valid != "1u")
    last++;  // what follows is never reached
  Printed printed;
  printed.strict = false;
  printed.is_alias = last == 0;
  printed.value = inputs[last].value;
  printed.valid = inputs[last].valid;
  printed.fault = inputs[last].fault;
  for (std::size_t i = last; i-- > 0;) {
    const std::string present = inputs[i].valid + " != 0u";
    const bool can_be_fault = printed.fault != "0u" || inputs[i].fault != "0u";
    printed.value = choice(inputs[i].type, present, inputs[i].value, printed.value);
    if (can_be_fault) printed.fault = present + " ? " + inputs[i].fault + " : " + printed.fault;
    if (printed.valid != "1u") printed.valid = inputs[i].valid + " | " + printed.valid;
  }
  return printed;
}

Printed print_extreme(const Node& node, std::span<const Operand> inputs, unsigned number) {
  Printed printed;
  printed.strict = false;
  printed.value = inputs[0].value;
  printed.valid = inputs[0].valid;
  printed.fault = inputs[0].fault;
  for (std::size_t i = 1; i < inputs.size(); i++) {
    const std::string name = "t" + std::to_string(number) + "_" + std::to_string(i);
    take_better(node, inputs[i], name, printed);
    take_validity_and_fault(inputs[i], name, printed);
  }
  printed.is_alias = true;
  return printed;
}

Printed print_is_null(const Operand& a) {
  Printed printed;
  printed.strict = false;
  printed.value = a.valid == "1u" ? "0u" : a.valid + " ^ 1u";
  printed.fault = a.fault;
  return printed;
}

}  // namespace penstock::expr
