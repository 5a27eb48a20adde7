// Binds round(), trunc() and round_even() to digits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "expr/operation.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

// DuckDB has no round() of unsigned integers: it rounds them as BIGINT where they fit, or as
// HUGEINT.
Result<NodeId> ExpressionBinder::rounded_integer(const Syntax& syntax, NodeId input) {
  const Type type = builder_.type(input);
  if (type.kind == Kind::uint64) return refuse(syntax, "round of UBIGINT, which is HUGEINT,");
  return is_signed(type) ? Result<NodeId>(input) : builder_.cast(input, type_of<std::int64_t>());
}

// Cuts a decimal to a number of digits after the point, or rounds it to one before the point. The
// other digits are the rest of a division by a power of ten.
Result<NodeId> ExpressionBinder::rounded_decimal(NodeId input, int digits, bool is_cut) {
  const Type type = builder_.type(input);
  if (digits >= type.scale) return input;
  const int scale = std::max(digits, 0), before = std::max(-digits, 0);
  const NodeId unit = builder_.literal(
      Scalar::of(Type::decimal(std::max(before + 1, scale), scale), expr::power_of_ten(before)));
  PENSTOCK_ASSIGN(const NodeId rest, builder_.binary(Op::modulo, input, unit));
  PENSTOCK_ASSIGN(NodeId kept, builder_.binary(Op::subtract, input, rest));
  if (is_cut) return builder_.cast(kept, Type::decimal(type.precision, scale));
  PENSTOCK_ASSIGN(const NodeId twice, builder_.binary(Op::add, rest, rest));
  PENSTOCK_ASSIGN(const NodeId minus, builder_.unary(Op::negate, unit));
  PENSTOCK_ASSIGN(const NodeId is_up, builder_.binary(Op::greater_equal, twice, unit));
  PENSTOCK_ASSIGN(const NodeId is_down, builder_.binary(Op::less_equal, twice, minus));
  const NodeId zero = builder_.literal(Scalar::of(builder_.type(unit), Int128{0}));
  PENSTOCK_ASSIGN(const NodeId down, builder_.select(is_down, minus, zero));
  PENSTOCK_ASSIGN(const NodeId carried, builder_.select(is_up, unit, down));
  PENSTOCK_ASSIGN(kept, builder_.binary(Op::add, kept, carried));
  const int whole = std::min(expr::max_wide_digits, type.precision - type.scale + 1);
  return builder_.cast(kept, Type::decimal(std::max<int>(type.precision, whole), 0));
}

// The host rounds to digits that are no constant, or negative, and what rounds half to even.
Result<NodeId> ExpressionBinder::rounded_digits(const Syntax& syntax) {
  PENSTOCK_ASSIGN(NodeId input, value(*syntax.inputs[0]));
  PENSTOCK_ASSIGN(NodeId digits, value(*syntax.inputs[1]));
  const Type type = builder_.type(input);
  if (!is_numeric(type)) return refuse(syntax, syntax.name + " of " + name_of(type));
  const bool is_cut = syntax.name == "trunc", is_even = !is_cut && syntax.name != "round";
  PENSTOCK_ASSIGN(digits, builder_.cast(digits, type_of<std::int32_t>()));
  const bool is_whole = is_integer(type) && type.kind != Kind::uint64;
  if (is_whole && !is_even)
    return located(syntax, builder_.string_function(
                               is_cut ? "integer_trunc_to" : "integer_round_to", {input, digits}));
  if (type.kind == Kind::int128 || type.kind == Kind::uint64)
    return refuse(syntax, syntax.name + " to digits of " + name_of(type));
  const std::optional<Scalar> known = constant(digits);
  const bool is_decimal = type.kind == Kind::decimal;
  if (is_decimal && (!known || known->is_null))
    return refuse(*syntax.inputs[1],
                  syntax.name + " to anything but a constant number of digits of a decimal");
  constexpr int max_exact_places = 18;
  if (is_decimal && !is_even && known->integer >= -max_exact_places)
    return located(syntax, rounded_decimal(input, static_cast<int>(known->integer), is_cut));
  PENSTOCK_ASSIGN(input, builder_.cast(input, type_of<double>()));
  PENSTOCK_ASSIGN(const NodeId result,
                  located(syntax, builder_.string_function(is_cut    ? "trunc_to"
                                                           : is_even ? "round_even"
                                                                     : "round_to",
                                                           {input, digits})));
  if (type.kind == Kind::float32) return located(syntax, builder_.cast(result, type));
  if (!is_decimal) return result;
  const auto scale = static_cast<int>(std::clamp<Int128>(known->integer, 0, type.scale));
  return located(syntax, builder_.cast(result, Type::decimal(type.precision, scale)));
}

// Rounds the exact product of a double and a power of ten, half away from zero. The double 2.55 is
// less than 2.55, though its rounded product with 10 is 25.5. Dekker's product of halves tells the
// error; it is right wherever a product has a fraction.
Result<NodeId> ExpressionBinder::rounded_product(NodeId value, double power) {
  constexpr double splitter = (1 << 27) + 1;
  const auto real = [&](double x) { return builder_.literal(Scalar::of(x)); };
  const double power_scaled = power * splitter;
  const double power_high = power_scaled - (power_scaled - power), power_low = power - power_high;
  PENSTOCK_ASSIGN(const NodeId scaled, builder_.binary(Op::multiply, value, real(splitter)));
  PENSTOCK_ASSIGN(NodeId low, builder_.binary(Op::subtract, scaled, value));
  PENSTOCK_ASSIGN(const NodeId high, builder_.binary(Op::subtract, scaled, low));
  PENSTOCK_ASSIGN(low, builder_.binary(Op::subtract, value, high));
  PENSTOCK_ASSIGN(const NodeId product, builder_.binary(Op::multiply, value, real(power)));
  PENSTOCK_ASSIGN(NodeId error, builder_.binary(Op::multiply, high, real(power_high)));
  PENSTOCK_ASSIGN(error, builder_.binary(Op::subtract, error, product));
  const std::pair<NodeId, double> rest[] = {{high, power_low}, {low, power_high}, {low, power_low}};
  for (const auto& [part, factor] : rest) {
    PENSTOCK_ASSIGN(const NodeId more, builder_.binary(Op::multiply, part, real(factor)));
    PENSTOCK_ASSIGN(error, builder_.binary(Op::add, error, more));
  }
  PENSTOCK_ASSIGN(const NodeId whole, builder_.unary(Op::round, product));
  PENSTOCK_ASSIGN(const NodeId up, builder_.binary(Op::subtract, whole, product));
  PENSTOCK_ASSIGN(const NodeId size, builder_.unary(Op::absolute, up));
  PENSTOCK_ASSIGN(const NodeId is_half, builder_.binary(Op::equal, size, real(0.5)));
  PENSTOCK_ASSIGN(const NodeId against, builder_.binary(Op::multiply, error, up));
  PENSTOCK_ASSIGN(const NodeId is_less, builder_.binary(Op::less, against, real(0)));
  PENSTOCK_ASSIGN(const NodeId is_none, builder_.binary(Op::and_, is_half, is_less));
  PENSTOCK_ASSIGN(const NodeId cut, builder_.unary(Op::truncate, product));
  return builder_.select(is_none, cut, whole);
}

// Binds round(x) and round(x, digits). A decimal loses digits as in a cast, half away from zero. A
// double is multiplied by a power of ten, rounded and divided, as in DuckDB, unless that overflows.
Result<NodeId> ExpressionBinder::rounded(const Syntax& syntax) {
  if (syntax.inputs.size() == 1) {
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
    return is_integer(builder_.type(input)) ? rounded_integer(syntax, input)
                                            : builder_.unary(Op::round, input);
  }
  PENSTOCK_TRY(argument_count(syntax, 2));
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
  PENSTOCK_ASSIGN(const NodeId digits_node, value(*syntax.inputs[1]));
  const std::optional<Scalar> digits = constant(digits_node);
  const Type type = builder_.type(input);
  const bool is_known = digits && !digits->is_null && is_integer(digits->type) &&
                        digits->integer >= 0 && digits->integer <= 18;
  if (!is_known || type.kind == Kind::float32) return rounded_digits(syntax);
  const int scale = static_cast<int>(digits->integer);
  if (type.kind == Kind::int128) return input;
  if (is_integer(type)) return rounded_integer(syntax, input);
  if (type.kind == Kind::decimal) {
    if (scale >= type.scale) return input;
    if (scale == 0) return builder_.unary(Op::round, input);
    // One digit more than is kept could carry; DuckDB keeps the precision, and so 99.95 to one
    // digit is 100.0 here too.
    return builder_.cast(input, Type::decimal(type.precision, scale));
  }
  if (type.kind != Kind::float64) return refuse(syntax, "round to digits of " + name_of(type));
  const double power = std::pow(10.0, scale);
  PENSTOCK_ASSIGN(const NodeId whole, rounded_product(input, power));
  PENSTOCK_ASSIGN(const NodeId result,
                  builder_.binary(Op::divide, whole, builder_.literal(Scalar::of(power))));
  PENSTOCK_ASSIGN(const NodeId size, builder_.unary(Op::absolute, result));
  const NodeId infinity = builder_.literal(Scalar::of(std::numeric_limits<double>::infinity()));
  PENSTOCK_ASSIGN(const NodeId finite, builder_.binary(Op::less, size, infinity));
  return builder_.select(finite, result, input);
}

}  // namespace penstock::sql
