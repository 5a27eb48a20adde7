// Comparisons: "order" functions give -1, 0, 1 where the types differ.
#include "expr/emit_parts.hpp"

namespace penstock::expr {

std::string compare_words(Op op, const std::string& a, const std::string& b) {
  const char* sign = op == Op::equal        ? " == "
                     : op == Op::not_equal  ? " != "
                     : op == Op::less       ? " < "
                     : op == Op::less_equal ? " <= "
                     : op == Op::greater    ? " > "
                                            : " >= ";
  return "(u32)(" + a + sign + b + ")";
}

std::string compare_by_functions(Op op, Type type, const std::string& a, const std::string& b) {
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
  if (is_float(a.type)) return compare_by_functions(op, a.type, a.value, b.value);
  if (a.type.kind == Kind::string && op != Op::equal && op != Op::not_equal)
    return Status(Code::unsupported, "strings can be compared with = and <> only");
  const int a_scale = a.type.kind == Kind::decimal ? a.type.scale : 0,
            b_scale = b.type.kind == Kind::decimal ? b.type.scale : 0;
  const bool are_wide = is_wide(a.type) || is_wide(b.type);
  if (are_wide && a_scale == b_scale)
    return compare_by_functions(op, {Kind::int128}, widened(a), widened(b));
  const auto order = [are_wide](const Operand& coarse, const Operand& fine, int gap) {
    if (are_wide)
      return call("order_scaled_I128",
                  {widened(coarse), widened(fine), wide_constant(power_of_ten(gap))});
    return call("order_scaled" + suffix(coarse.type),
                {coarse.value, fine.value, power_constant(gap)});
  };
  if (a_scale < b_scale) return compare_words(op, order(a, b, b_scale - a_scale), "0");
  if (a_scale > b_scale) return compare_words(op, "0", order(b, a, a_scale - b_scale));
  if ((a.type.kind == Kind::uint64) != (b.type.kind == Kind::uint64))
    return compare_words(op, call("order" + suffix(a.type) + suffix(b.type), {a.value, b.value}),
                         "0");
  return compare_words(op, a.value, b.value);
}

}  // namespace penstock::expr
