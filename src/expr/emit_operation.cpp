#include "expr/emit_operation.hpp"

#include <algorithm>
#include <array>

#include "expr/emit.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

std::string call(const std::string& function, std::initializer_list<std::string> arguments) {
  std::string text = function + "(";
  std::size_t i = 0;
  for (const std::string& argument : arguments) text += (i++ == 0 ? "" : ", ") + argument;
  return text + ")";
}

// An integer constant in a C type of ours. The smallest i64 has no literal of its own.
std::string constant(Int128 value, const std::string& type) {
  if (value == INT64_MIN) return "((i64)-9223372036854775807 - 1)";
  std::string digits;
  for (Int128 rest = value < 0 ? -value : value; rest != 0 || digits.empty(); rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return "(" + type + ")" + (value < 0 ? "-" : "") + digits + (type[0] == 'u' ? "u" : "");
}
std::string power_constant(int exponent) { return constant(power_of_ten(exponent), "i64"); }

// "(v3 < low || v3 > high)", only with the halves that values of `range` can meet; empty if none.
std::string outside(const std::string& value, const std::string& type, Range range, Range allowed) {
  std::string text;
  if (range.minimum < allowed.minimum) text = value + " < " + constant(allowed.minimum, type);
  if (range.maximum > allowed.maximum)
    text += (text.empty() ? "" : " || ") + value + " > " + constant(allowed.maximum, type);
  return text.empty() ? text : "(" + text + ")";
}

std::string all_valid(std::span<const Operand> inputs) {
  std::vector<std::string> names;
  for (const Operand& input : inputs)
    if (input.valid != "1u" && std::find(names.begin(), names.end(), input.valid) == names.end())
      names.push_back(input.valid);
  std::string text = names.empty() ? "1u" : names[0];
  for (std::size_t i = 1; i < names.size(); i++) text += " & " + names[i];
  return text;
}

std::string suffix(Type type) { return "_" + kernel_type(type); }
std::string math(const char* function, Type type) {
  return std::string("MATH_") + function + (type.kind == Kind::float32 ? "_F32" : "_F64");
}

// Comparison: "order" functions give -1, 0, 1 where the types differ.

std::string compare_words(Op op, const std::string& a, const std::string& b) {
  const char* sign = op == Op::equal ? " == " : op == Op::not_equal ? " != " : op == Op::less ? " < "
                     : op == Op::less_equal ? " <= " : op == Op::greater ? " > " : " >= ";
  return "(u32)(" + a + sign + b + ")";
}

std::string compare_floats(Op op, Type type, const std::string& a, const std::string& b) {
  const std::string less = "less" + suffix(type), equal = "equal" + suffix(type);
  switch (op) {
    case Op::equal: return call(equal, {a, b});
    case Op::not_equal: return call(equal, {a, b}) + " ^ 1u";
    case Op::less: return call(less, {a, b});
    case Op::less_equal: return call(less, {b, a}) + " ^ 1u";
    case Op::greater: return call(less, {b, a});
    default: return call(less, {a, b}) + " ^ 1u";
  }
}

Result<std::string> print_comparison(Op op, const Operand& a, const Operand& b) {
  if (is_float(a.type)) return compare_floats(op, a.type, a.value, b.value);
  if (a.type.kind == Kind::string && op != Op::equal && op != Op::not_equal)
    return Status(Code::unsupported, "strings can be compared with = and <> only");
  const int a_scale = a.type.kind == Kind::decimal ? a.type.scale : 0,
            b_scale = b.type.kind == Kind::decimal ? b.type.scale : 0;
  const auto order = [](const Operand& coarse, const Operand& fine, int gap) {
    return call("order_scaled" + suffix(coarse.type), {coarse.value, fine.value, power_constant(gap)});
  };
  if (a_scale < b_scale) return compare_words(op, order(a, b, b_scale - a_scale), "0");
  if (a_scale > b_scale) return compare_words(op, "0", order(b, a, a_scale - b_scale));
  if ((a.type.kind == Kind::uint64) != (b.type.kind == Kind::uint64))
    return compare_words(op, call("order" + suffix(a.type) + suffix(b.type), {a.value, b.value}), "0");
  return compare_words(op, a.value, b.value);
}

// Casts.

Printed print_cast_from_float(const Operand& a, Type type) {
  Printed printed;
  if (type.kind == Kind::decimal) {
    const std::string wide = a.type.kind == Kind::float32 ? "(f64)" + a.value : a.value;
    const std::string power = power_constant(type.scale), limit = power_constant(type.precision);
    printed.value = call("decimal_of_f64", {wide, power, limit});
    printed.own_faults.emplace_back(Code::overflow, call("outside_decimal", {wide, power, limit}) + " != 0u");
    return printed;
  }
  if (is_float(type)) {
    printed.value = "(" + kernel_type(type) + ")" + a.value;
    if (type.kind == Kind::float32)
      printed.own_faults.emplace_back(Code::overflow, call("narrows_to_infinity", {a.value}) + " != 0u");
    return printed;
  }
  printed.value = call(kernel_type(type) + "_of" + suffix(a.type), {a.value});
  printed.own_faults.emplace_back(Code::overflow,
                                  call("outside" + suffix(type) + suffix(a.type), {a.value}) + " != 0u");
  return printed;
}

Printed print_cast_moment(const Operand& a, Type type) {
  Printed printed;
  if (type.kind == Kind::date32) {
    printed.value = "(i32)" + call("days_of_timestamp", {a.value});
    return printed;
  }
  const Int128 days = INT64_MAX / microseconds_per_day;
  printed.value = call("multiply_i64", {"(i64)" + a.value, "DAY_MICROSECONDS"});
  printed.own_faults.emplace_back(Code::overflow, outside(a.value, "i32", range_of(a.type), {-days, days}));
  return printed;
}

// Between integers, booleans and decimals.
Printed print_cast_exact(const Operand& a, Type type) {
  const int from_scale = a.type.kind == Kind::decimal ? a.type.scale : 0,
            to_scale = type.kind == Kind::decimal ? type.scale : 0;
  const Range from = range_of(a.type), to = range_of(type);
  Printed printed;
  std::string fault;
  if (to_scale < from_scale) {
    const std::string power = power_constant(from_scale - to_scale);
    const Int128 unit = power_of_ten(from_scale - to_scale);
    const std::string rounded = call("round_decimal", {a.value, power});
    printed.value = "(" + kernel_type(type) + ")" + rounded;
    fault = outside(rounded, "i64", {(from.minimum - unit / 2) / unit, (from.maximum + unit / 2) / unit}, to);
  } else if (to_scale > from_scale) {
    const Int128 power = power_of_ten(to_scale - from_scale);
    printed.value = call("multiply_i64", {"(i64)" + a.value, constant(power, "i64")});
    fault = outside(a.value, kernel_type(a.type), from, {to.minimum / power, to.maximum / power});
  } else {
    printed.is_alias = kernel_type(type) == kernel_type(a.type);
    printed.value = printed.is_alias ? a.value : "(" + kernel_type(type) + ")" + a.value;
    fault = outside(a.value, kernel_type(a.type), from, to);
  }
  if (!fault.empty()) printed.own_faults.emplace_back(Code::overflow, fault);
  return printed;
}

Printed print_cast(const Operand& a, Type type) {
  Printed printed;
  if (a.type == type) { printed.value = a.value; printed.is_alias = true; return printed; }
  if (type.kind == Kind::boolean) {
    const char* zero = a.type.kind == Kind::float32 ? "0.0f" : a.type.kind == Kind::float64 ? "0.0" : "0";
    printed.value = "(u32)(" + a.value + " != " + zero + ")";
    return printed;
  }
  if (is_float(a.type)) return print_cast_from_float(a, type);
  if (is_float(type)) {
    if (a.type.kind == Kind::decimal) {   // through double, also to FLOAT; 15 digits are exact there
      const std::string power = power_constant(a.type.scale);
      printed.value =
          a.type.precision <= 15 ? "(f64)" + a.value + " / (f64)" + power : call("f64_of_decimal", {a.value, power});
      if (type.kind == Kind::float32) printed.value = "(f32)(" + printed.value + ")";
    }
    else printed.value = "(" + kernel_type(type) + ")" + a.value;
    return printed;
  }
  if (a.type.kind == Kind::date32 || a.type.kind == Kind::timestamp) return print_cast_moment(a, type);
  return print_cast_exact(a, type);
}

// Arithmetic and bits.

const char* float_sign(Op op) {
  return op == Op::add ? " + " : op == Op::subtract ? " - " : op == Op::multiply ? " * " : " / ";
}

Printed print_date_arithmetic(const Node& node, const Operand& a, const Operand& b) {
  const std::string function = node.op == Op::add ? "add_i64" : "subtract_i64";
  const std::string wide = call(function, {"(i64)" + a.value, "(i64)" + b.value});
  Printed printed;
  printed.value = node.type.kind == Kind::date32 ? "(i32)" + wide : wide;
  if (node.type.kind == Kind::date32) {
    const Range wider{INT64_MIN, INT64_MAX};
    printed.own_faults.emplace_back(Code::overflow, outside(wide, "i64", wider, range_of(node.type)));
  }
  return printed;
}

Printed print_binary(const Graph& graph, const Node& node, const Operand& a, const Operand& b) {
  Printed printed;
  if (is_float(node.type)) {
    if (node.op == Op::modulo) printed.value = call(math("FMOD", node.type), {a.value, b.value});
    else if (node.op == Op::power) printed.value = call(math("POW", node.type), {a.value, b.value});
    else printed.value = a.value + float_sign(node.op) + b.value;
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
  std::string predicate = call((divides ? "divide" : function) + "_overflows" + suffix(node.type), {a.value, b.value});
  const std::string beyond = call("beyond_18_digits", {printed.value});
  if (node.type.kind == Kind::decimal)
    predicate = node.op == Op::multiply ? "(" + predicate + " | " + beyond + ")" : beyond;   // no branch: loops stay vectorisable
  printed.own_faults.emplace_back(Code::overflow, predicate + " != 0u");
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

Printed print_sign(const Node& node, const Operand& a) {
  Printed printed;
  if (is_float(node.type)) {
    printed.value = node.op == Op::negate ? "-" + a.value : call(math("FABS", node.type), {a.value});
  } else if (node.op == Op::absolute && !is_signed(node.type) && is_integer(node.type)) {
    printed.value = a.value;
    printed.is_alias = true;
  } else {
    printed.value = call(std::string(node.op == Op::negate ? "negate" : "absolute") + suffix(node.type), {a.value});
    // The smallest value has no positive twin; an unsigned one no negative but zero.
    if (is_integer(node.type))
      printed.own_faults.emplace_back(Code::overflow,
                                      call("negate_overflows" + suffix(node.type), {a.value}) + " != 0u");
  }
  return printed;
}

const char* math_name(Op op) {
  switch (op) {
    case Op::square_root: return "SQRT";
    case Op::floor: return "FLOOR";
    case Op::ceiling: return "CEIL";
    case Op::round: return "ROUND";
    case Op::truncate: return "TRUNC";
    case Op::exponential: return "EXP";
    case Op::logarithm: return "LOG";
    case Op::logarithm10: return "LOG10";
    case Op::sine: return "SIN";
    case Op::cosine: return "COS";
    default: return "TAN";
  }
}

Printed print_rounding(const Node& node, const Operand& a) {
  Printed printed;
  if (a.type.scale == 0) { printed.value = a.value; printed.is_alias = true; return printed; }
  const std::string power = power_constant(a.type.scale);
  if (node.op == Op::truncate) printed.value = a.value + " / " + power;
  else
    printed.value = call(node.op == Op::floor     ? "floor_decimal"
                         : node.op == Op::ceiling ? "ceiling_decimal"
                                                  : "round_decimal",
                         {a.value, power});
  return printed;
}

std::string print_date_part(Op op, const Operand& a) {
  const bool is_date = a.type.kind == Kind::date32;
  const std::string days = is_date ? "(i64)" + a.value : call("days_of_timestamp", {a.value});
  const auto time_part = [&](Int128 unit, const std::string& turn) {
    return is_date ? "(i64)0" : call("time_of_timestamp", {a.value}) + " / " + constant(unit, "i64") + turn;
  };
  switch (op) {
    case Op::year: return call("year_of_days", {days});
    case Op::quarter: return call("quarter_of_days", {days});
    case Op::month: return call("month_of_days", {days});
    case Op::day: return call("day_of_days", {days});
    case Op::day_of_week: return call("weekday_of_days", {days, "4"});
    case Op::iso_day_of_week: return call("weekday_of_days", {days, "3"}) + " + 1";
    case Op::day_of_year: return call("day_of_year_of_days", {days});
    case Op::hour: return time_part(3600000000, "");
    case Op::minute: return time_part(60000000, " % 60");
    default: return time_part(1000000, " % 60");
  }
}

// What is not strict.

Printed print_connective(const Node& node, const Operand& a, const Operand& b) {
  const bool is_and = node.op == Op::and_;
  Printed printed;
  printed.strict = false;
  printed.value = a.value + (is_and ? " & " : " | ") + b.value;
  const bool can_be_null = a.valid != "1u" || b.valid != "1u", can_be_fault = a.fault != "0u" || b.fault != "0u";
  if (!can_be_null && !can_be_fault) return printed;
  // Whether a side alone decides: FALSE for AND, TRUE for OR.
  const auto decides = [&](const Operand& side) {
    std::string text = is_and ? "(" + side.value + " ^ 1u)" : side.value;
    if (side.valid != "1u") text = "(" + side.valid + " & " + text + ")";
    if (side.fault != "0u") text = "(" + text + " & (u32)(" + side.fault + " == 0u))";
    return text;
  };
  const std::string decided = decides(a) + " | " + decides(b);
  if (can_be_null) {
    const std::string both = all_valid(std::array{a, b});
    printed.valid = decided + " | (" + both + ")";
    for (const Operand* side : {&a, &b})
      if (side->fault != "0u") printed.valid += " | (u32)(" + side->fault + " != 0u)";
  }
  if (can_be_fault) {
    const std::string first = a.fault == "0u" ? b.fault : b.fault == "0u" || a.fault == b.fault ? a.fault
                              : "(" + a.fault + " != 0u ? " + a.fault + " : " + b.fault + ")";
    printed.fault = "(" + decided + ") != 0u ? 0u : " + first;
  }
  return printed;
}

std::string choose(const std::string& condition, const std::string& then, const std::string& otherwise) {
  return then == otherwise ? then : condition + " ? " + then + " : " + otherwise;
}

Printed print_select(std::span<const Operand> inputs) {
  const Operand &c = inputs[0], &then = inputs[1], &otherwise = inputs[2];
  const std::string chosen = c.valid == "1u" ? c.value + " != 0u" : "(" + c.valid + " & " + c.value + ") != 0u";
  Printed printed;
  printed.strict = false;
  printed.value = choose(chosen, then.value, otherwise.value);
  printed.is_alias = then.value == otherwise.value;
  printed.valid = choose(chosen, then.valid, otherwise.valid);
  printed.fault = choose(chosen, then.fault, otherwise.fault);
  if (c.fault == "0u") return printed;
  if (printed.valid != "1u") printed.valid = c.fault + " != 0u ? 1u : " + printed.valid;
  printed.fault = printed.fault == "0u" ? c.fault : c.fault + " != 0u ? " + c.fault + " : " + printed.fault;
  return printed;
}

Printed print_coalesce(std::span<const Operand> inputs) {
  std::size_t last = 0;
  while (last + 1 < inputs.size() && inputs[last].valid != "1u") last++;   // what follows is never reached
  Printed printed;
  printed.strict = false;
  printed.is_alias = last == 0;
  printed.value = inputs[last].value;
  printed.valid = inputs[last].valid;
  printed.fault = inputs[last].fault;
  for (std::size_t i = last; i-- > 0;) {
    const std::string present = inputs[i].valid + " != 0u";
    printed.value = present + " ? " + inputs[i].value + " : " + printed.value;
    printed.fault = printed.fault == "0u" && inputs[i].fault == "0u"
                        ? "0u"
                        : present + " ? " + inputs[i].fault + " : " + printed.fault;
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
  const std::string type = kernel_type(node.type);
  for (std::size_t i = 1; i < inputs.size(); i++) {
    const Operand& next = inputs[i];
    const Op op = node.op == Op::least ? Op::less : Op::greater;
    std::string better = is_float(node.type) ? compare_floats(op, node.type, next.value, printed.value)
                                             : compare_words(op, next.value, printed.value);
    if (printed.valid != "1u") better = "((" + printed.valid + " ^ 1u) | " + better + ")";
    if (next.valid != "1u") better = next.valid + " & " + better;
    const std::string name = "t" + std::to_string(number) + "_" + std::to_string(i);
    printed.preparation +=
        "  const " + type + " " + name + " = (" + better + ") != 0u ? " + next.value + " : " + printed.value + ";\n";
    printed.value = name;
    if (printed.valid == "1u" || next.valid == "1u") printed.valid = "1u";
    else {
      printed.preparation += "  const u32 " + name + "n = " + printed.valid + " | " + next.valid + ";\n";
      printed.valid = name + "n";
    }
    if (printed.fault == "0u") printed.fault = next.fault;
    else if (next.fault != "0u" && next.fault != printed.fault) {
      printed.preparation +=
          "  const u32 " + name + "e = " + printed.fault + " != 0u ? " + printed.fault + " : " + next.fault + ";\n";
      printed.fault = name + "e";
    }
  }
  printed.is_alias = true;
  return printed;
}

Printed print_custom(const Node& node, std::span<const Operand> inputs, const CustomCall& custom) {
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
  if (!guard.empty()) printed.value = guard + " ? " + printed.value + " : (" + kernel_type(node.type) + ")0";
  return printed;
}

Result<Printed> print_strict(const Graph& graph, const Node& node, std::span<const Operand> inputs, const CustomCall& custom) {
  const Operand& a = inputs[0];
  if (node.op == Op::cast) return print_cast(a, node.type);
  if (node.op == Op::custom) return print_custom(node, inputs, custom);
  if (node.op == Op::negate || node.op == Op::absolute) return print_sign(node, a);
  if (is_rounding(node.op) && node.type.kind == Kind::decimal) return print_rounding(node, a);
  Printed printed;
  if (is_comparison(node.op)) {
    PENSTOCK_ASSIGN(printed.value, print_comparison(node.op, a, inputs[1]));
    return printed;
  }
  if (node.op >= Op::bit_and && node.op <= Op::bit_not)
    printed.value = print_bits(node.op, node.type, a.value, inputs[inputs.size() - 1].value);
  else if (node.op == Op::not_) printed.value = a.value + " ^ 1u";
  else if (is_date_part(node.op)) printed.value = print_date_part(node.op, a);
  else if (node.op >= Op::square_root && node.op <= Op::tangent)
    printed.value = call(math(math_name(node.op), node.type), {a.value});
  else return print_binary(graph, node, a, inputs[1]);
  return printed;
}

}  // namespace

Result<Printed> print_operation(const Graph& graph, const Node& node, std::span<const Operand> inputs,
                                unsigned number, const CustomCall& custom) {
  const bool carries_string = node.type.kind == Kind::string;
  if (carries_string) return Status(Code::unsupported, "strings can be carried and compared with = and <> only");
  switch (node.op) {
    case Op::and_: case Op::or_: return print_connective(node, inputs[0], inputs[1]);
    case Op::select: return print_select(inputs);
    case Op::coalesce: return print_coalesce(inputs);
    case Op::least: case Op::greatest: return print_extreme(node, inputs, number);
    case Op::is_null: {
      Printed printed;
      printed.strict = false;
      printed.value = inputs[0].valid == "1u" ? "0u" : inputs[0].valid + " ^ 1u";
      printed.fault = inputs[0].fault;
      return printed;
    }
    default: break;
  }
  PENSTOCK_ASSIGN(Printed printed, print_strict(graph, node, inputs, custom));
  printed.valid = all_valid(inputs);
  return printed;
}

}  // namespace penstock::expr
