// Arithmetic and bits.
#include "expr/emit_parts.hpp"

namespace penstock::expr {
namespace {

bool is_function(std::string_view word) {
  return !word.empty() && word[0] >= 'A' && word[0] <= 'Z';
}

Printed print_date_arithmetic(const Node& node, const Operand& a, const Operand& b) {
  const std::string function = node.op == Op::add ? "add_i64" : "subtract_i64";
  const std::string wide = call(function, {"(i64)" + a.value, "(i64)" + b.value});
  Printed printed;
  printed.value = wide;
  if (node.type.kind != Kind::date32) return printed;
  // An infinite date stays what it is.
  printed.value = "(" + is_infinite(a) + " ? " + a.value + " : (i32)" + wide + ")";
  const Range wider{INT64_MIN, INT64_MAX};
  printed.own_faults.emplace_back(
      Code::overflow,
      "(!" + is_infinite(a) + " && " + outside(wide, "i64", wider, range_of(node.type)) + ")");
  return printed;
}

}  // namespace

Printed print_binary(const Graph& graph, const Node& node, const Operand& a, const Operand& b) {
  Printed printed;
  if (is_float(node.type)) {
    const std::string_view word = row_of(node.op).float_word;
    printed.value = is_function(word) ? call(math(word, node.type), {a.value, b.value})
                                      : a.value + " " + std::string(word) + " " + b.value;
    return printed;
  }
  if (a.type.kind == Kind::date32) return print_date_arithmetic(node, a, b);
  const OwnFaults faults = own_faults(graph, node);
  const bool divides = node.op == Op::integer_divide || node.op == Op::modulo;
  const std::string function(row_of(node.op).integer_word);
  printed.value = call(function + suffix(node.type), {a.value, b.value});
  if (faults.invalid) printed.own_faults.emplace_back(Code::invalid, b.value + " == 0");
  if (!faults.overflow) return printed;
  std::string predicate =
      call((divides ? "divide" : function) + "_overflows" + suffix(node.type), {a.value, b.value});
  const std::string beyond = call("beyond_18_digits", {printed.value});
  if (node.type.kind == Kind::decimal)
    predicate = node.op == Op::multiply ? "(" + predicate + " | " + beyond + ")"
                                        : beyond;  // no branch: loops stay vectorisable
  printed.own_faults.emplace_back(Code::overflow, predicate + " != 0u");
  return printed;
}

Printed print_sign(const Node& node, const Operand& a) {
  Printed printed;
  if (is_float(node.type)) {
    printed.value = node.op == Op::negate
                        ? "-" + a.value
                        : call(math(row_of(node.op).float_word, node.type), {a.value});
  } else if (node.op == Op::absolute && !is_signed(node.type) && is_integer(node.type)) {
    printed.value = a.value;
    printed.is_alias = true;
  } else {
    printed.value = call(std::string(row_of(node.op).integer_word) + suffix(node.type), {a.value});
    // The smallest value has no positive twin; an unsigned one no negative but zero.
    if (is_integer(node.type))
      printed.own_faults.emplace_back(
          Code::overflow, call("negate_overflows" + suffix(node.type), {a.value}) + " != 0u");
  }
  return printed;
}

std::string print_bits(Op op, Type type, const std::string& a, const std::string& b) {
  const std::string cast = "(" + kernel_type(type) + ")";
  if (op == Op::bit_not) return cast + "(~" + a + ")";
  return cast + "(" + a + " " + std::string(row_of(op).integer_word) + " " + b + ")";
}

}  // namespace penstock::expr
