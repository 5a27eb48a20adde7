#include "fuse/codegen/register_statements.hpp"

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

std::string value_or_zero(const RegisterOperands& o, const std::string& type) {
  return "(" + o.keep + ") ? (" + type + ")" + o.value + " : (" + type + ")0";
}

RegisterStatements sum_statements(const RegisterOperands& o, const std::string& zero,
                                  const std::string& added, const std::string& one) {
  return {o.mine + " = " + zero + ";",
          o.mine + " += " + added + ";",
          o.mine + " += " + o.other + ";",
          "",
          "",
          o.mine + " += " + one + ";"};
}

std::string less(const Accumulator& a, const std::string& x, const std::string& y) {
  if (expr::is_wide(a.type)) return "i128_less(" + x + ", " + y + ") != 0u";
  if (!is_float(a.type)) return "(" + x + " < " + y + ")";
  return "is_below_" + kernel_type(a.type) + "(" + x + ", " + y + ") != 0u";
}

}  // namespace

RegisterStatements count_in_registers(const Accumulator&, const RegisterOperands& o) {
  return sum_statements(o, "0", "(i64)(" + o.keep + ")", "1");
}

RegisterStatements sum_in_registers(const Accumulator& a, const RegisterOperands& o) {
  const std::string type = kernel_type(value_type(a));
  return sum_statements(o, "(" + type + ")0", value_or_zero(o, type), "(" + type + ")" + o.value);
}

RegisterStatements wide_sum_in_registers(const Accumulator& a, const RegisterOperands& o) {
  const std::string narrow =
      a.type.kind == Kind::uint64 || a.type.kind == Kind::uint32 ? "u64" : "i64";
  const auto added = [&](const std::string& value) {
    return o.mine + " = i128_add(" + o.mine + ", i128_of_" + narrow + "(" + value + "));";
  };
  return {o.mine + " = i128_of_i64(0);",
          added(value_or_zero(o, narrow)),
          o.mine + " = i128_add(" + o.mine + ", " + o.other + ");",
          "",
          "",
          added("(" + narrow + ")" + o.value)};
}

RegisterStatements extreme_in_registers(const Accumulator& a, const RegisterOperands& o) {
  const auto better = [&](const std::string& x) {
    return is_maximum(a) ? less(a, o.mine, x) : less(a, x, o.mine);
  };
  return {o.mine + " = " + constant_literal(neutral_of(a)) + ";",
          "if ((" + o.keep + ") && " + better(o.value) + ") " + o.mine + " = " + o.value + ";",
          "if (" + better(o.other) + ") " + o.mine + " = " + o.other + ";",
          "",
          "",
          ""};
}

RegisterStatements custom_in_registers(const Accumulator&, const RegisterOperands& o) {
  const std::string combined = o.mine + " = " + o.name + "_combine(" + o.mine + ", ";
  return {o.mine + " = " + o.name + "_neutral;",
          "if (" + o.keep + ") " + combined + o.value + ");",
          combined + o.other + ");",
          "",
          "",
          ""};
}

}  // namespace penstock::plan
