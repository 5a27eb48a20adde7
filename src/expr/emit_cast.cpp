// Casts, and the values that they refuse.
#include "expr/emit_parts.hpp"

namespace penstock::expr {
namespace {

Printed print_cast_from_float(const Operand& a, Type type) {
  Printed printed;
  if (type.kind == Kind::decimal) {
    const std::string wide = a.type.kind == Kind::float32 ? "(f64)" + a.value : a.value;
    const std::string power = power_constant(type.scale), limit = power_constant(type.precision);
    printed.value = call("decimal_of_f64", {wide, power, limit});
    printed.own_faults.emplace_back(Code::overflow,
                                    call("outside_decimal", {wide, power, limit}) + " != 0u");
    return printed;
  }
  if (is_float(type)) {
    printed.value = "(" + kernel_type(type) + ")" + a.value;
    if (type.kind == Kind::float32)
      printed.own_faults.emplace_back(Code::overflow,
                                      call("narrows_to_infinity", {a.value}) + " != 0u");
    return printed;
  }
  printed.value = call(kernel_type(type) + "_of" + suffix(a.type), {a.value});
  printed.own_faults.emplace_back(
      Code::overflow, call("outside" + suffix(type) + suffix(a.type), {a.value}) + " != 0u");
  return printed;
}

// To a float, through double, also to FLOAT; 15 digits are exact there.
Printed print_cast_from_decimal(const Operand& a, Type type) {
  const std::string power = power_constant(a.type.scale);
  Printed printed;
  printed.value = a.type.precision <= 15 ? "(f64)" + a.value + " / (f64)" + power
                                         : call("f64_of_decimal", {a.value, power});
  if (type.kind == Kind::float32) printed.value = "(f32)(" + printed.value + ")";
  return printed;
}

Printed print_cast_datetime(const Operand& a, Type type) {
  const auto with_infinities = [&](const std::string& finite) {
    const Int128 infinity = type.kind == Kind::date32 ? infinite_days : infinite_microseconds;
    const std::string word = kernel_type(type);
    return "(" + is_infinite(a) + " ? (" + a.value + " < 0 ? " + constant(-infinity, word) + " : " +
           constant(infinity, word) + ") : " + finite + ")";
  };
  Printed printed;
  if (type.kind == Kind::date32) {
    printed.value = with_infinities("(i32)" + call("days_of_timestamp", {a.value}));
    return printed;
  }
  const Int128 days = INT64_MAX / microseconds_per_day;
  printed.value = with_infinities(call("multiply_i64", {"(i64)" + a.value, "DAY_MICROSECONDS"}));
  printed.own_faults.emplace_back(
      Code::overflow, "(!" + is_infinite(a) + " && " +
                          outside(a.value, "i32", range_of(a.type), {-days, days}) + ")");
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
    fault = outside(rounded, "i64",
                    {(from.minimum - unit / 2) / unit, (from.maximum + unit / 2) / unit}, to);
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

}  // namespace

Printed print_cast(const Operand& a, Type type) {
  Printed printed;
  const bool are_timestamps = a.type.kind == Kind::timestamp && type.kind == Kind::timestamp;
  if (a.type == type || are_timestamps) {
    printed.value = a.value;
    printed.is_alias = true;
    return printed;
  }
  if (type.kind == Kind::boolean) {
    const char* zero = a.type.kind == Kind::float32   ? "0.0f"
                       : a.type.kind == Kind::float64 ? "0.0"
                                                      : "0";
    printed.value = "(u32)(" + a.value + " != " + zero + ")";
    return printed;
  }
  if (is_float(a.type)) return print_cast_from_float(a, type);
  if (is_float(type) && a.type.kind == Kind::decimal) return print_cast_from_decimal(a, type);
  if (is_float(type)) {
    printed.value = "(" + kernel_type(type) + ")" + a.value;
    return printed;
  }
  if (a.type.kind == Kind::date32 || a.type.kind == Kind::timestamp)
    return print_cast_datetime(a, type);
  return print_cast_exact(a, type);
}

}  // namespace penstock::expr
