// Operations on values of 128 bits, which are structs: by the functions of wide_operations.kc.
#include "expr/emit_parts.hpp"

#include <bit>

namespace penstock::expr {
namespace {

std::string of_wide(std::string_view function) { return std::string(function) + "_I128"; }

std::string hexadecimal(std::uint64_t word) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[word >> shift & 15];
  return "(u64)0x" + text.substr(0, 8) + "u << 32 | 0x" + text.substr(8) + "u";
}

std::string real_constant(double value) {
  return "F64_OF_BITS(" + hexadecimal(std::bit_cast<std::uint64_t>(value)) + ")";
}
std::string real_power(int exponent) {
  return real_constant(static_cast<double>(power_of_ten(exponent)));
}

// Returns the condition that a wide value of `range` is outside of a type; empty if none can be.
// The ends of HUGEINT are those of 128 bits.
std::string outside_of(Type type, const std::string& value, Range range) {
  const Range allowed = range_of(type);
  if (range.minimum >= allowed.minimum && range.maximum <= allowed.maximum) return {};
  if (type.kind == Kind::int128) return call("is_end_I128", {value});
  return call("outside_range_I128",
              {value, wide_constant(allowed.minimum), wide_constant(allowed.maximum)});
}

// Declares a value once, since a condition reads it too and TCC computes all that is printed.
void declare_wide(Printed& printed, const std::string& value, unsigned number) {
  const std::string name = "w" + std::to_string(number);
  printed.preparation += "  const I128 " + name + " = " + value + ";\n";
  printed.value = name;
}

void add_fault(Printed& printed, Code code, const std::string& condition) {
  if (!condition.empty()) printed.own_faults.emplace_back(code, "(" + condition + ") != 0u");
}

std::string narrowed(Type type, const std::string& wide) {
  return is_wide(type) ? wide : "(" + kernel_type(type) + ")" + wide + ".low";
}

// The value of `printed` is wide so far, and within `range`.
void finish_in_type(Printed& printed, Type type, Range range) {
  add_fault(printed, Code::overflow, outside_of(type, printed.value, range));
  printed.value = narrowed(type, printed.value);
  printed.is_alias = is_wide(type);
}

constexpr Range any_wide{std::numeric_limits<Int128>::min(), std::numeric_limits<Int128>::max()};

Printed print_arithmetic(const Graph& graph, const Node& node, const Operand& left,
                         const Operand& right, unsigned number) {
  const std::string a = widened(left), b = widened(right);
  const OwnFaults faults = own_faults(graph, node);
  const std::string function(row_of(node.op).integer_word);
  Printed printed;
  declare_wide(printed, call(of_wide(function), {a, b}), number);
  const std::string value = printed.value;
  finish_in_type(printed, node.type, {});
  if (faults.invalid) add_fault(printed, Code::invalid, call("is_zero_I128", {b}));
  if (!faults.overflow) return printed;
  const bool divides = node.op == Op::integer_divide || node.op == Op::modulo;
  add_fault(printed, Code::overflow,
            call(of_wide((divides ? "divide" : function) + "_overflows"), {a, b}) + " | " +
                outside_of(node.type, value, any_wide));
  return printed;
}

Printed print_wide_sign(const Node& node, const Operand& a, unsigned number) {
  Printed printed;
  declare_wide(printed, call(of_wide(row_of(node.op).integer_word), {a.value}), number);
  finish_in_type(printed, node.type, node.type.kind == Kind::int128 ? any_wide : range_of(a.type));
  return printed;
}

Printed print_wide_rounding(const Node& node, const Operand& a) {
  const std::string_view word = row_of(node.op).integer_word;
  Printed printed;
  printed.value = a.value;
  printed.is_alias = a.type.scale == 0;
  if (!printed.is_alias)
    printed.value = call(of_wide(word.empty() ? "quotient" : word),
                         {a.value, wide_constant(power_of_ten(a.type.scale))});
  return printed;
}

// High and low half may be sums of halves.
Printed print_joined_halves(const Node& node, const Operand& high, const Operand& low,
                            unsigned number) {
  Printed printed;
  declare_wide(printed, call("join_I128", {high.value, low.value}), number);
  add_fault(printed, Code::overflow,
            call("join_overflows_I128", {high.value, low.value}) + " | " +
                outside_of(node.type, printed.value, any_wide));
  printed.is_alias = true;
  return printed;
}

Printed print_half(const Node& node, const Operand& a) {
  Printed printed;
  printed.value = a.value + (node.op == Op::high_half ? ".high" : ".low");
  return printed;
}

// HUGEINT converts as it is, and decimals through double.
Printed print_cast_to_float(const Operand& a, Type type) {
  Printed printed;
  if (a.type.kind == Kind::int128) {
    printed.value = call(kernel_type(type) + "_of_I128", {a.value});
    return printed;
  }
  constexpr int exact_powers = 22;
  printed.value = call("f64_of_decimal_I128", {a.value, wide_constant(power_of_ten(a.type.scale)),
                                               a.type.scale <= exact_powers ? "1u" : "0u"});
  if (type.kind == Kind::float32) printed.value = "(f32)" + printed.value;
  return printed;
}

Printed print_cast_from_real(const Operand& a, Type type) {
  Printed printed;
  if (type.kind == Kind::int128) {
    printed.value = call("I128_of" + suffix(a.type), {a.value});
    add_fault(printed, Code::overflow, call("outside_I128" + suffix(a.type), {a.value}));
    return printed;
  }
  const std::string wide = a.type.kind == Kind::float32 ? "(f64)" + a.value : a.value;
  const std::string power = real_power(type.scale), limit = real_power(type.precision);
  printed.value = call("decimal_I128_of_f64", {wide, power, limit});
  add_fault(printed, Code::overflow, call("outside_decimal_I128", {wide, power, limit}));
  return printed;
}

// Between integers, booleans and decimals, of which one is wide.
Printed print_cast_of_count(const Operand& a, Type type, unsigned number) {
  const int gain = scale_of(type) - scale_of(a.type);
  const Range from = a.type.kind == Kind::int128 ? any_wide : range_of(a.type);
  const Range to = range_of(type);
  Printed printed;
  if (gain == 0) {
    printed.value = widened(a);
    if (!is_wide(a.type)) declare_wide(printed, printed.value, number);
    finish_in_type(printed, type, from);
  } else if (gain < 0) {
    const Int128 unit = power_of_ten(-gain);
    declare_wide(printed, call("round_decimal_I128", {widened(a), wide_constant(unit)}), number);
    finish_in_type(printed, type, {from.minimum / unit - 1, from.maximum / unit + 1});
  } else {
    const Int128 power = power_of_ten(gain);
    const Range most{to.minimum / power, to.maximum / power};
    declare_wide(printed, call("multiply_I128", {widened(a), wide_constant(power)}), number);
    finish_in_type(printed, type, to);
    if (from.minimum < most.minimum || from.maximum > most.maximum)
      add_fault(printed, Code::overflow,
                call("outside_range_I128",
                     {widened(a), wide_constant(most.minimum), wide_constant(most.maximum)}));
  }
  return printed;
}

}  // namespace

std::string wide_constant(Int128 value) {
  return "words_I128(" + hexadecimal(static_cast<std::uint64_t>(value)) + ", " +
         hexadecimal(static_cast<std::uint64_t>(value >> 64)) + ")";
}

std::string widened(const Operand& a) {
  if (is_wide(a.type)) return a.value;
  const bool has_sign = is_signed(a.type);
  return has_sign ? "i128_of_i64((i64)" + a.value + ")" : "i128_of_u64((u64)" + a.value + ")";
}

Printed print_wide_cast(const Operand& a, Type type, unsigned number) {
  Printed printed;
  if (type.kind == Kind::boolean) {
    printed.value = call("is_zero_I128", {a.value}) + " ^ 1u";
    return printed;
  }
  if (is_float(type)) return print_cast_to_float(a, type);
  if (is_float(a.type)) return print_cast_from_real(a, type);
  return print_cast_of_count(a, type, number);
}

Result<Printed> print_wide(const Graph& graph, const Node& node, std::span<const Operand> inputs,
                           unsigned number) {
  const Operand& a = inputs[0];
  switch (row_of(node.op).kind) {
    case OperationKind::cast: return print_wide_cast(a, node.type, number);
    case OperationKind::arithmetic: return print_arithmetic(graph, node, a, inputs[1], number);
    case OperationKind::sign: return print_wide_sign(node, a, number);
    case OperationKind::rounding: return print_wide_rounding(node, a);
    case OperationKind::half:
      return node.op == Op::from_halves ? print_joined_halves(node, a, inputs[1], number)
                                        : print_half(node, a);
    default: break;
  }
  return Status(Code::unsupported,
                "kernels do not " + std::string(row_of(node.op).verb) + " " + name_of(a.type));
}

}  // namespace penstock::expr
