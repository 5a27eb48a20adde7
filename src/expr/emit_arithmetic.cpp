// Arithmetic and bits.
#include "expr/emit_parts.hpp"

namespace penstock::expr {
namespace {

const char* float_sign(Op op) {
  return op == Op::add ? " + " : op == Op::subtract ? " - " : op == Op::multiply ? " * " : " / ";
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
    if (node.op == Op::modulo)
      printed.value = call(math("FMOD", node.type), {a.value, b.value});
    else if (node.op == Op::power)
      printed.value = call(math("POW", node.type), {a.value, b.value});
    else
      printed.value = a.value + float_sign(node.op) + b.value;
    return printed;
  }
  if (a.type.kind == Kind::date32) return print_date_arithmetic(node, a, b);
  const OwnFaults faults = own_faults(graph, node);
  const bool divides = node.op == Op::integer_divide || node.op == Op::modulo;
  std::string function(node.op == Op::integer_divide ? "quotient"
                       : node.op == Op::modulo       ? "remainder"
                                                     : name_of(node.op));
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
    printed.value =
        node.op == Op::negate ? "-" + a.value : call(math("FABS", node.type), {a.value});
  } else if (node.op == Op::absolute && !is_signed(node.type) && is_integer(node.type)) {
    printed.value = a.value;
    printed.is_alias = true;
  } else {
    printed.value = call(
        std::string(node.op == Op::negate ? "negate" : "absolute") + suffix(node.type), {a.value});
    // The smallest value has no positive twin; an unsigned one no negative but zero.
    if (is_integer(node.type))
      printed.own_faults.emplace_back(
          Code::overflow, call("negate_overflows" + suffix(node.type), {a.value}) + " != 0u");
  }
  return printed;
}

std::string print_bits(Op op, Type type, const std::string& a, const std::string& b) {
  const std::string cast = "(" + kernel_type(type) + ")";
  switch (op) {
    case Op::bit_and: return cast + "(" + a + " & " + b + ")";
    case Op::bit_or: return cast + "(" + a + " | " + b + ")";
    case Op::bit_xor: return cast + "(" + a + " ^ " + b + ")";
    default: return cast + "(~" + a + ")";
  }
}

}  // namespace penstock::expr
