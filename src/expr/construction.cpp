#include "expr/construction.hpp"

#include <array>

#include "expr/string_functions.hpp"

namespace penstock::expr {

Status cannot(Op op, std::initializer_list<Type> types) {
  std::string text = "cannot " + std::string(row_of(op).verb);
  std::size_t i = 0;
  for (Type type : types) text += (i++ == 0 ? " " : " and ") + name_of(type);
  return {Code::invalid, text};
}

namespace {

Status needs_huge(Op op, Type a, Type b) {
  return {Code::unsupported,
          std::string(cannot(op, {a, b}).message()) +
              ": the result would be HUGEINT; cast one side to the other's type, or to HUGEINT"};
}

bool is_huge(Type type) { return type.kind == Kind::int128; }

Status needs_scale(Op op, Type a, Type b, int max_digits) {
  return {max_digits == max_wide_digits ? Code::invalid : Code::unsupported,
          std::string(cannot(op, {a, b}).message()) + ": the result has more than " +
              std::to_string(max_digits) + " decimal places"};
}

// Sums of decimals are wide, and so are values computed from them. Two operands of up to 18 digits
// give at most 18, which kernels compute in one word.
int digits_limit(Type a, Type b) {
  return is_wide(a) || is_wide(b) ? max_wide_digits : max_decimal_digits;
}

}  // namespace

Result<NodeId> to_boolean(Construction& c, Op op, NodeId id) {
  if (!c.is_null_literal(id) && !is_castable(c.type(id), boolean_type))
    return cannot(op, {c.type(id)});
  return c.cast(id, boolean_type);
}

Result<NodeId> date_arithmetic(Construction& c, Op op, NodeId left, NodeId right) {
  const Type a = c.type(left), b = c.type(right);
  if (op == Op::add && a.kind != Kind::date32 && b.kind == Kind::date32)
    return date_arithmetic(c, op, right, left);
  if (a.kind != Kind::date32 || (op != Op::add && op != Op::subtract)) return cannot(op, {a, b});
  if (op == Op::subtract && b.kind == Kind::date32) return c.add(op, int64_type, {left, right});
  const std::optional<Type> days =
      is_integer(b) ? meet(b, int32_type, Meeting::arithmetic) : std::nullopt;
  if (!days || days->kind != Kind::int32)
    return Status(Code::invalid, std::string(cannot(op, {a, b}).message()) +
                                     ": days are added to a date as INTEGER");
  return c.add(op, a, {left, c.cast(right, int32_type)});
}

Result<NodeId> decimal_arithmetic(Construction& c, Op op, NodeId left, NodeId right, Type met) {
  const Type a = c.type(left), b = c.type(right);
  const int max_digits = digits_limit(a, b);
  if (op == Op::multiply) {
    left = c.rescale(left, a.kind == Kind::decimal ? a.scale : 0, max_digits);
    right = c.rescale(right, b.kind == Kind::decimal ? b.scale : 0, max_digits);
    const int scale = c.type(left).scale + c.type(right).scale;
    if (scale > max_digits) return needs_scale(op, a, b, max_digits);
    const int precision = c.type(left).precision + c.type(right).precision;
    return c.add(op, Type::decimal(std::min(precision, max_digits), scale), {left, right});
  }
  // DuckDB's modulo has no room for both, and is one of DOUBLE.
  if (op == Op::modulo && met.precision > max_wide_digits)
    return c.add(op, float64_type, {c.cast(left, float64_type), c.cast(right, float64_type)});
  left = c.rescale(left, met.scale, max_digits);
  right = c.rescale(right, met.scale, max_digits);
  const int precision = met.precision + (op == Op::modulo ? 0 : 1);
  return c.add(op, Type::decimal(std::min(precision, max_digits), met.scale), {left, right});
}

Result<NodeId> arithmetic(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  const auto is_datetime = [&](NodeId id) { return is_date_or_timestamp(c.type(id)); };
  if (is_datetime(left) != is_datetime(right) && (c.parameter(left) || c.parameter(right)) &&
      !c.is_null_literal(left) && !c.is_null_literal(right)) {
    // date + 1: the literal is days, and fits INTEGER or not.
    NodeId& days = is_datetime(left) ? ids[1] : ids[0];
    const Scalar* value = c.parameter(days);
    if (value && is_integer(value->type) && cast_value(*value, int32_type).fault == Code::ok)
      days = c.cast(days, int32_type);
  } else {
    c.adapt(ids);
  }
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  if (is_datetime(ids[0]) || is_datetime(ids[1])) return date_arithmetic(c, op, ids[0], ids[1]);
  if (!is_numeric(a) || !is_numeric(b)) return cannot(op, {a, b});
  const std::optional<Type> met = meet(a, b, Meeting::arithmetic);
  if (!met) return cannot(op, {a, b});
  const bool divides =
      op == Op::divide || (op == Op::integer_divide && !(is_whole(a) && is_whole(b)));
  if (divides || is_float(*met)) {
    const Type type = is_float(*met) ? *met : float64_type;
    return c.add(divides ? Op::divide : op, type, {c.cast(ids[0], type), c.cast(ids[1], type)});
  }
  if (is_huge(*met) && !is_huge(a) && !is_huge(b)) return needs_huge(op, a, b);
  if (met->kind == Kind::decimal) return decimal_arithmetic(c, op, ids[0], ids[1], *met);
  return c.add(op, *met, {c.cast(ids[0], *met), c.cast(ids[1], *met)});
}

Result<NodeId> bits(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  c.adapt(ids);
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  if (!is_integer(a) || !is_integer(b)) return cannot(op, {a, b});
  const Type met = meet(a, b, Meeting::arithmetic).value_or(a);
  if (met.kind == Kind::int128) return needs_huge(op, a, b);
  return c.add(op, met, {c.cast(ids[0], met), c.cast(ids[1], met)});
}

namespace {

// Moves a constant from the left to the right: the function takes the column's strings.
Result<NodeId> compare_strings(Construction& c, Op op, NodeId left, NodeId right) {
  if (c.is_constant(left)) {
    std::swap(left, right);
    op = op == Op::less         ? Op::greater
         : op == Op::less_equal ? Op::greater_equal
         : op == Op::greater    ? Op::less
                                : Op::less_equal;
  }
  return c.call(string_comparison(op), {left, right});
}

}  // namespace

Result<NodeId> compare_nodes(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  c.adapt(ids);
  for (std::size_t i = 0; i < 2;
       i++) {  // a boolean beside a float or a decimal is 0 or 1, here only
    const Type other = c.type(ids[1 - i]);
    if (c.type(ids[i]) == boolean_type && (is_float(other) || other.kind == Kind::decimal))
      ids[i] = c.cast(ids[i], {Kind::int8});
  }
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  const bool equality = op == Op::equal || op == Op::not_equal;
  if (a.kind == Kind::string && a == b && !equality) return compare_strings(c, op, ids[0], ids[1]);
  const std::optional<Type> met = meet(a, b, Meeting::comparison);
  if (!met) return cannot(op, {a, b});
  if (is_huge(*met) && !is_huge(a) && !is_huge(b)) {  // a signed integer with UBIGINT: by value
    for (NodeId& id : ids) id = c.cast(id, is_signed(c.type(id)) ? int64_type : Type{Kind::uint64});
  } else if (met->kind == Kind::decimal && met->precision > max_decimal_digits) {
    // Rescaling could overflow: the kernel compares the values as 64 bits instead.
    for (NodeId& id : ids)
      if (is_integer(c.type(id)) && c.type(id).kind != Kind::uint64) id = c.cast(id, int64_type);
  } else if (met->kind == Kind::decimal) {
    for (NodeId& id : ids) id = c.rescale(id, met->scale, max_decimal_digits);
  } else {
    for (NodeId& id : ids) id = c.cast(id, *met);
  }
  return c.add(op, boolean_type, {ids[0], ids[1]});
}

namespace {

bool fits(const Scalar* literal, Type type) {
  if (literal == nullptr || !is_integer(literal->type) || !is_integer(type)) return false;
  const Range range = range_of(type);
  return literal->integer >= range.minimum && literal->integer <= range.maximum;
}

// The common type of the inputs so far. A literal after NULL or another literal keeps its own type,
// as in DuckDB.
struct Met {
  Type type;
  const Scalar* literal;
};

Result<Met> meet_next(Op op, Met so_far, Met next) {
  if (next.literal && next.literal->is_null)
    return Met{so_far.type, so_far.literal && so_far.literal->is_null ? so_far.literal : nullptr};
  if (so_far.literal && so_far.literal->is_null) return Met{next.type, nullptr};
  const bool one_literal = (so_far.literal == nullptr) != (next.literal == nullptr);
  if (one_literal && fits(so_far.literal, next.type)) return Met{next.type, nullptr};
  if (one_literal && fits(next.literal, so_far.type)) return Met{so_far.type, nullptr};
  const std::optional<Type> met = meet(so_far.type, next.type, Meeting::comparison);
  if (!met) return cannot(op, {so_far.type, next.type});
  if (is_huge(*met) && !is_huge(so_far.type) && !is_huge(next.type))
    return needs_huge(op, so_far.type, next.type);
  return Met{*met, nullptr};
}

}  // namespace

Result<Type> unify(Construction& c, Op op, std::span<NodeId> ids) {
  Met met{c.type(ids[0]), c.parameter(ids[0])};
  for (NodeId id : ids.subspan(1)) {
    PENSTOCK_ASSIGN(met, meet_next(op, met, {c.type(id), c.parameter(id)}));
  }
  Type type = met.type;
  if (type.kind == Kind::string && (op == Op::least || op == Op::greatest))
    return Status(Code::unsupported, std::string(cannot(op, {type}).message()) +
                                         ": strings are not ordered inside an expression");
  type = computed_type(
      type, std::any_of(ids.begin(), ids.end(), [&](NodeId id) { return is_wide(c.type(id)); }));
  for (NodeId& id : ids) id = c.cast(id, type);
  return type;
}

Result<NodeId> negate(Construction& c, Graph& graph, NodeId input) {
  const Type type = c.type(input);
  if (!is_numeric(type)) return cannot(Op::negate, {type});
  if (const Scalar* literal = c.parameter(input); literal && !literal->is_null) {
    Scalar value = *literal;  // -1 is a literal, as 1 is
    value.integer = -value.integer;
    value.real = -value.real;
    for (Kind kind : {Kind::int32, Kind::int64})
      if (is_integer(type) &&
          (kind == Kind::int64 || cast_value(value, {kind}).fault == Code::ok)) {
        value.type = {kind};
        break;
      }
    if (cast_value(Scalar::of(value.type, value.integer), value.type).fault == Code::ok)
      return graph.parameter(value, ParameterOrigin::literal);
  }
  return c.add(Op::negate, type, {input});
}

Result<NodeId> rounding(Construction& c, Op op, NodeId input) {
  const Type type = c.type(input);
  if (!is_numeric(type)) return cannot(op, {type});
  if (is_whole(type))
    return op == Op::round || op == Op::truncate ? input : c.cast(input, float64_type);
  return c.add(op, type.kind == Kind::decimal ? Type::decimal(type.precision, 0) : type, {input});
}

}  // namespace penstock::expr
