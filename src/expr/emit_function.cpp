// Functions of one value: of numbers, decimals, dates and timestamps.
#include "expr/emit_parts.hpp"

namespace penstock::expr {
namespace {

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
    case Op::tangent: return "TAN";
    default: return "NO_SUCH_FUNCTION";  // does not compile, and says which line
  }
}

}  // namespace

std::string print_math(const Node& node, const Operand& a) {
  return call(math(math_name(node.op), node.type), {a.value});
}

Printed print_rounding(const Node& node, const Operand& a) {
  Printed printed;
  if (a.type.scale == 0) {
    printed.value = a.value;
    printed.is_alias = true;
    return printed;
  }
  const std::string power = power_constant(a.type.scale);
  if (node.op == Op::truncate)
    printed.value = a.value + " / " + power;
  else
    printed.value = call(node.op == Op::floor     ? "floor_decimal"
                         : node.op == Op::ceiling ? "ceiling_decimal"
                                                  : "round_decimal",
                         {a.value, power});
  return printed;
}

namespace {

std::string date_part_value(Op op, const Operand& a) {
  const bool is_date = a.type.kind == Kind::date32;
  const std::string days = is_date ? "(i64)" + a.value : call("days_of_timestamp", {a.value});
  const auto time_part = [&](Int128 unit, const std::string& turn) {
    return is_date ? "(i64)0"
                   : call("time_of_timestamp", {a.value}) + " / " + constant(unit, "i64") + turn;
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

}  // namespace

Printed print_date_part(Op op, const Operand& a) {
  Printed printed;
  printed.value = date_part_value(op, a);
  printed.own_faults.emplace_back(Code::overflow, is_infinite(a));
  return printed;
}

}  // namespace penstock::expr
