// Binds TRY_CAST: a cast behind the condition that its value fits.
//
//     TRY_CAST(x AS TINYINT)  ->  CASE WHEN x >= -128 AND x <= 127 THEN CAST(x AS TINYINT) END
//
// A fault of x itself stays one, as in DuckDB.
#include <cmath>

#include "expr/operation.hpp"
#include "expr/string_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

using expr::power_of_ten;

// The values that a cast takes: from `low` to `high`, of the input's type.
struct Bounds {
  Scalar low, high;
  bool is_high_excluded = false;
};

int scale_of(Type type) { return type.kind == Kind::decimal ? type.scale : 0; }

// Returns the bounds, in the input's units, of values that round to one of `range` units of 10^-to.
Bounds exact_bounds(Type from, int to_scale, expr::Range range) {
  const int dropped = scale_of(from) - to_scale;
  const expr::Range own = expr::range_of(from);
  const auto in_units = [&](Int128 value) -> Int128 {
    if (dropped <= 0) return value / power_of_ten(-dropped);
    const Int128 half = power_of_ten(dropped) / 2 - 1;
    return value * power_of_ten(dropped) + (value < 0 ? -half : half);
  };
  const Int128 low =
      range.minimum == 0 && dropped > 0 ? 1 - power_of_ten(dropped) / 2 : in_units(range.minimum);
  const Int128 high = in_units(range.maximum);
  return {Scalar::of(from, std::max(low, own.minimum)),
          Scalar::of(from, std::min(high, own.maximum))};
}

// A half rounds to the even neighbour: the lowest integer of a type is even, the highest is odd.
Bounds float_bounds(expr::Range range) {
  return {Scalar::of(static_cast<double>(range.minimum) - 0.5),
          Scalar::of(static_cast<double>(range.maximum) + 0.5), true};
}

bool is_exact(Type type) {
  return is_integer(type) || type.kind == Kind::decimal || type.kind == Kind::boolean;
}

}  // namespace

Result<NodeId> ExpressionBinder::try_cast(const Syntax& syntax, NodeId input) {
  PENSTOCK_ASSIGN(const NodeId plain, builder_.cast(input, syntax.type));
  const Type from = builder_.type(input), to = syntax.type;
  if (builder_.graph()->at(plain).op != Op::cast || !expr::cast_can_fault(from, to)) return plain;
  Bounds bounds;
  NodeId compared = input;
  if (is_exact(from) && is_exact(to)) {
    bounds = exact_bounds(from, scale_of(to), expr::range_of(to));
  } else if (is_float(from) && is_exact(to)) {
    const NodeId power =
        builder_.literal(Scalar::of(std::pow(10.0, static_cast<double>(scale_of(to)))));
    PENSTOCK_ASSIGN(compared, builder_.cast(input, type_of<double>()));
    if (to.kind == Kind::decimal) {
      PENSTOCK_ASSIGN(compared, builder_.binary(Op::multiply, compared, power));
    }
    bounds = float_bounds(expr::range_of(to));
  } else {
    return refuse(syntax, "TRY_CAST of " + name_of(from) + " to " + name_of(to));
  }
  PENSTOCK_ASSIGN(const NodeId above,
                  builder_.binary(Op::greater_equal, compared, builder_.literal(bounds.low)));
  PENSTOCK_ASSIGN(const NodeId below,
                  builder_.binary(bounds.is_high_excluded ? Op::less : Op::less_equal, compared,
                                  builder_.literal(bounds.high)));
  PENSTOCK_ASSIGN(const NodeId fits, builder_.binary(Op::and_, above, below));
  return builder_.select(fits, plain, builder_.literal(Scalar::null_of(to)));
}

// The place of a cast is that of its requirement, whose fault names it.
Result<NodeId> ExpressionBinder::cast_of_string(const Syntax& syntax, NodeId input) {
  if (!expr::is_castable_from_string(syntax.type))
    return refuse(syntax, "a cast of VARCHAR to " + name_of(syntax.type));
  PENSTOCK_ASSIGN(const NodeId chosen, builder_.string_cast(input, syntax.type, syntax.is_try));
  const Node& node = builder_.graph()->at(chosen);
  if (node.op != Op::select) return chosen;
  for (const NodeId part : std::vector<NodeId>(node.inputs))
    PENSTOCK_TRY(located(syntax, part).status());
  if (!syntax.is_try)
    for (const NodeId call : std::vector<NodeId>(builder_.graph()->at(node.inputs[0]).inputs))
      PENSTOCK_TRY(located(syntax, call).status());
  return chosen;
}

}  // namespace penstock::sql
