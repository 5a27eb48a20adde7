#include "expr/value.hpp"

#include <algorithm>
#include <cmath>

#include "expr/calendar.hpp"
#include "expr/integers.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

Scalar real_of(Type type, double value) {
  return Scalar::of(type, type.kind == Kind::float32 ? static_cast<float>(value) : value);
}

// The double nearest to count / 10^scale. Both are exact in double up to 2^53, where one division
// rounds once; beyond, long division gives 56 bits or more and whether anything is left, which the
// conversion then rounds. A sum's count has up to 128 bits. A power of ten is exact up to 10^22.
double decimal_to_double(Int128 count, int scale) {
  constexpr int exact_powers = 22;
  const Int128 power = power_of_ten(scale), exact = Int128{1} << 53;
  if (count == 0 || (scale <= exact_powers && count <= exact && count >= -exact))
    return static_cast<double>(count) / static_cast<double>(power);
  using Magnitude = unsigned __int128;
  const Magnitude magnitude =
      count < 0 ? -static_cast<Magnitude>(count) : static_cast<Magnitude>(count);
  const auto divisor = static_cast<Magnitude>(power);
  Magnitude quotient = magnitude / divisor, rest = magnitude % divisor;
  int shift = 0;
  for (; quotient < std::uint64_t{1} << 55; shift++) {
    rest *= 2;
    quotient = quotient * 2 + (rest >= divisor);
    if (rest >= divisor) rest -= divisor;
  }
  const double value = std::ldexp(static_cast<double>(quotient | (rest != 0)), -shift);
  return count < 0 ? -value : value;
}

EvaluatedScalar cast_to_float(const Scalar& value, Type type) {
  if (is_float(value.type)) {
    const Scalar result = real_of(type, value.real);
    return {result, std::isinf(result.real) && !std::isinf(value.real) ? Code::overflow : Code::ok};
  }
  if (value.type.kind == Kind::decimal)
    return {real_of(type, decimal_to_double(value.integer, value.type.scale))};
  return {Scalar::of(type, type.kind == Kind::float32 ? double{static_cast<float>(value.integer)}
                                                      : static_cast<double>(value.integer))};
}

EvaluatedScalar cast_from_float(double value, Type type) {
  if (type.kind == Kind::decimal) {
    const double count = std::round(value * static_cast<double>(power_of_ten(type.scale)));
    const double limit = static_cast<double>(power_of_ten(type.precision));
    if (!(count > -limit && count < limit)) return {Scalar::of(type, Int128{0}), Code::overflow};
    return within(type, static_cast<Int128>(count));
  }
  const double whole = std::nearbyint(value);  // the default rounding direction: half to even
  if (!(whole > -0x1p127 && whole < 0x1p127)) return {Scalar::of(type, Int128{0}), Code::overflow};
  return within(type, static_cast<Int128>(whole));
}

EvaluatedScalar cast_datetime(const Scalar& value, Type type) {
  if (value.type.kind == type.kind) return {Scalar::of(type, value.integer)};
  if (is_infinite(value.type, value.integer)) {
    const Int128 infinity = type.kind == Kind::date32 ? infinite_days : infinite_microseconds;
    return {Scalar::of(type, value.integer < 0 ? -infinity : infinity)};
  }
  if (type.kind == Kind::date32)
    return {Scalar::of(
        type, floor_divide(static_cast<std::int64_t>(value.integer), microseconds_per_day))};
  return within(type, value.integer * microseconds_per_day);
}

}  // namespace

EvaluatedScalar cast_value(const Scalar& value, Type type) {
  const Type from = value.type;
  if (from == type) return {value};
  if (type.kind == Kind::boolean)
    return {Scalar::of(type, Int128{is_float(from) ? !(value.real == 0) : value.integer != 0})};
  if (is_float(type)) return cast_to_float(value, type);
  if (is_float(from)) return cast_from_float(value.real, type);
  if (from.kind == Kind::date32 || from.kind == Kind::timestamp) return cast_datetime(value, type);
  const int gain = scale_of(type) - scale_of(from);
  return within(type, gain >= 0 ? bounded_product(value.integer, power_of_ten(gain))
                                : divide_half_away(value.integer, power_of_ten(-gain)));
}

namespace {

template <class T> int order(const T& a, const T& b) { return a < b ? -1 : b < a ? 1 : 0; }

}  // namespace

int order_of_floats(double a, double b) {
  const bool a_nan = std::isnan(a), b_nan = std::isnan(b);
  return a_nan || b_nan ? order(a_nan, b_nan) : order(a, b);
}

int compare(const Scalar& a, const Scalar& b) {
  if (a.type.kind == Kind::string) return order(a.text, b.text);
  if (is_float(a.type)) return order_of_floats(a.real, b.real);
  if (a.type == b.type) return order(a.integer, b.integer);
  return order(
      bounded_product(a.integer, power_of_ten(std::max(0, scale_of(b.type) - scale_of(a.type)))),
      bounded_product(b.integer, power_of_ten(std::max(0, scale_of(a.type) - scale_of(b.type)))));
}

namespace {

EvaluatedScalar apply_integers(const Node& node, const Scalar& left, const Scalar& right) {
  if (node.type.kind == Kind::date32 && is_infinite(node.type, left.integer)) return {left};
  const auto function = row_of(node.op).of_integers;
  return function ? function(node.type, left.integer, right.integer)
                  : EvaluatedScalar{Scalar::of(node.type, Int128{0})};
}

EvaluatedScalar apply_floats(const Node& node, std::span<const Scalar> inputs) {
  const EvaluatedScalar no_number{Scalar::of(node.type, std::nan(""))};
  const bool narrow = node.type.kind == Kind::float32;
  const double a = inputs[0].real;
  if (inputs.size() == 1) {
    const UnaryFloat& function = row_of(node.op).of_float;
    if (!function.of_f64) return no_number;
    return {Scalar::of(
        node.type, narrow ? double{function.of_f32(static_cast<float>(a))} : function.of_f64(a))};
  }
  const double b = inputs[1].real;
  const BinaryFloat& function = row_of(node.op).of_floats;
  if (!function.of_f64) return no_number;
  return {Scalar::of(node.type,
                     narrow ? double{function.of_f32(static_cast<float>(a), static_cast<float>(b))}
                            : function.of_f64(a, b))};
}

EvaluatedScalar apply_date_part(const Node& node, const Scalar& input) {
  const auto count = static_cast<std::int64_t>(input.integer);
  const bool is_date = input.type.kind == Kind::date32;
  if (is_infinite(input.type, count)) return {Scalar::of(node.type, Int128{0}), Code::overflow};
  const std::int64_t days = is_date ? count : floor_divide(count, microseconds_per_day);
  return {
      Scalar::of(node.type, Int128{row_of(node.op).of_date(
                                days, is_date ? 0 : floor_modulo(count, microseconds_per_day))})};
}

EvaluatedScalar apply_date_start(const Node& node, const Scalar& input) {
  const auto count = static_cast<std::int64_t>(input.integer);
  if (is_infinite(input.type, count)) return {input};
  if (count < first_with_start(node.op)) return {Scalar::of(node.type, Int128{0}), Code::overflow};
  const OperationRow& row = row_of(node.op);
  const std::int64_t start =
      row.of_date ? row.of_date(floor_divide(count, microseconds_per_day), 0) * microseconds_per_day
                  : count - floor_modulo(count, row.step_microseconds);
  return {Scalar::of(node.type, Int128{start})};
}

EvaluatedScalar apply_epoch(const Node& node, const Scalar& input) {
  const Code fault = is_infinite(input.type, input.integer) ? Code::overflow : Code::ok;
  return {Scalar::of(node.type, fault == Code::ok ? input.integer : Int128{0}), fault};
}

}  // namespace

bool holds(Op comparison, int order) {
  switch (comparison) {
    case Op::equal: return order == 0;
    case Op::not_equal: return order != 0;
    case Op::less: return order < 0;
    case Op::less_equal: return order <= 0;
    case Op::greater: return order > 0;
    default: return order >= 0;
  }
}

EvaluatedScalar apply(const Graph& graph, const Node& node, std::span<const Scalar> inputs) {
  const Scalar& first = inputs[0];
  if (is_comparison(node.op))
    return {Scalar::of(node.type, Int128{holds(node.op, compare(first, inputs[1]))})};
  if (is_date_part(node.op)) return apply_date_part(node, first);
  if (is_date_start(node.op)) return apply_date_start(node, first);
  switch (node.op) {
    case Op::epoch_microseconds: return apply_epoch(node, first);
    case Op::require: return {first, first.integer != 0 ? Code::ok : Code::invalid};
    case Op::high_half: return {Scalar::of(node.type, first.integer >> 64)};
    case Op::low_half:
      return {Scalar::of(node.type, Int128{static_cast<std::uint64_t>(first.integer)})};
    case Op::from_halves: return within(node.type, joined_halves(first.integer, inputs[1].integer));
    case Op::cast: return cast_value(first, node.type);
    case Op::custom: {
      const CustomFunction& function = *graph.custom_functions[node.payload];
      if (!function.host) return {Scalar::null_of(node.type), Code::unsupported};
      return {function.host(inputs)};
    }
    case Op::not_: return {Scalar::of(node.type, Int128{first.integer == 0})};
    case Op::bit_not:
      return {Scalar::of(node.type, is_signed(node.type)
                                        ? ~first.integer
                                        : range_of(node.type).maximum - first.integer)};
    default: break;
  }
  if (is_float(node.type)) return apply_floats(node, inputs);
  if (node.op == Op::negate) return within(node.type, bounded_difference(0, first.integer));
  if (node.op == Op::absolute)
    return within(node.type,
                  first.integer < 0 ? bounded_difference(0, first.integer) : first.integer);
  if (is_rounding(node.op))
    return {Scalar::of(node.type,
                       row_of(node.op).of_decimal(first.integer, power_of_ten(first.type.scale)))};
  return apply_integers(node, first, inputs[1]);
}

}  // namespace penstock::expr
