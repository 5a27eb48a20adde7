// Functions of one value: of numbers, decimals, dates and timestamps.
#include "expr/emit_parts.hpp"

namespace penstock::expr {
std::string print_math(const Node& node, const Operand& a) {
  return call(math(row_of(node.op).float_word, node.type), {a.value});
}

Printed print_rounding(const Node& node, const Operand& a) {
  Printed printed;
  if (a.type.scale == 0) {
    printed.value = a.value;
    printed.is_alias = true;
    return printed;
  }
  const std::string power = power_constant(a.type.scale);
  const std::string function(row_of(node.op).integer_word);
  printed.value = function.empty() ? a.value + " / " + power : call(function, {a.value, power});
  return printed;
}

namespace {

// Puts an expression in place of a word, of which a row has one at most.
void put(std::string& text, std::string_view word, const std::string& with) {
  if (const std::size_t at = text.find(word); at != std::string::npos)
    text.replace(at, word.size(), with);
}

std::string date_part_value(Op op, const Operand& a) {
  std::string text(row_of(op).integer_word);
  const bool is_date = a.type.kind == Kind::date32;
  if (is_date && text.starts_with("TIME")) return "(i64)0";
  put(text, "DAYS", is_date ? "(i64)" + a.value : call("days_of_timestamp", {a.value}));
  put(text, "TIME", call("time_of_timestamp", {a.value}));
  return text;
}

}  // namespace

Printed print_date_part(Op op, const Operand& a) {
  Printed printed;
  printed.value = date_part_value(op, a);
  printed.own_faults.emplace_back(Code::overflow, is_infinite(a));
  return printed;
}

Printed print_date_start(Op op, const Operand& a) {
  const OperationRow& row = row_of(op);
  std::string days(row.integer_word);
  put(days, "DAYS", call("days_of_timestamp", {a.value}));
  const std::string start =
      row.of_date ? call("multiply_i64", {days, "DAY_MICROSECONDS"})
                  : call("start_of_step", {a.value, constant(row.step_microseconds, "i64")});
  Printed printed;
  printed.value = "(" + is_infinite(a) + " ? " + a.value + " : " + start + ")";
  printed.own_faults.emplace_back(Code::overflow, "(!" + is_infinite(a) + " && " + a.value + " < " +
                                                      constant(first_with_start(op), "i64") + ")");
  return printed;
}

Printed print_requirement(const Operand& a) {
  Printed printed;
  printed.value = a.value;
  printed.is_alias = true;
  printed.own_faults.emplace_back(Code::invalid, "(" + a.value + " == 0u)");
  return printed;
}

Printed print_epoch(const Operand& a) {
  Printed printed;
  printed.value = a.value;
  printed.is_alias = true;
  printed.own_faults.emplace_back(Code::overflow, is_infinite(a));
  return printed;
}

}  // namespace penstock::expr
