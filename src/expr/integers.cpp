#include "expr/integers.hpp"

#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

// The end of 128 bits on one side of zero, which is outside every type's range.
Int128 end_of_range(bool is_negative) {
  const auto greatest = static_cast<Int128>(~static_cast<unsigned __int128>(0) >> 1);
  return is_negative ? -greatest - 1 : greatest;
}

int bits_of(Type type) { return static_cast<int>(width_bytes(type)) * 8; }

EvaluatedScalar zero_with(Type type, Code fault) { return {Scalar::of(type, Int128{0}), fault}; }

// As DuckDB, the modulo of the smallest value by -1 counts as the overflow that its quotient is.
EvaluatedScalar divide(Type type, Int128 a, Int128 b, bool takes_rest) {
  if (b == 0) return zero_with(type, Code::invalid);
  const EvaluatedScalar quotient = within(type, a / b);
  if (type.kind != Kind::decimal && quotient.fault != Code::ok) return quotient;
  return takes_rest ? within(type, a % b) : quotient;
}

}  // namespace

EvaluatedScalar within(Type type, Int128 value) {
  const Range range = range_of(type);
  if (value < range.minimum || value > range.maximum)
    return {Scalar::of(type, Int128{0}), Code::overflow};
  return {Scalar::of(type, value)};
}

Int128 bounded_product(Int128 a, Int128 b) {
  Int128 product = 0;
  return __builtin_mul_overflow(a, b, &product) ? end_of_range((a < 0) != (b < 0)) : product;
}
Int128 bounded_sum(Int128 a, Int128 b) {
  Int128 sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? end_of_range(a < 0) : sum;
}
Int128 bounded_difference(Int128 a, Int128 b) {
  Int128 difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? end_of_range(a < 0) : difference;
}
Int128 joined_halves(Int128 high, Int128 low) {
  // The low half carries first, so that only a result beyond 128 bits overflows.
  const Int128 upper = bounded_sum(high, low >> 64);
  if (upper < INT64_MIN || upper > INT64_MAX) return end_of_range(upper < 0);
  return upper * (Int128{1} << 64) + static_cast<std::uint64_t>(low);
}
Int128 divide_half_away(Int128 value, Int128 unit) {
  const Int128 whole = value / unit, rest = value % unit, size = rest < 0 ? -rest : rest;
  return size < unit - size || size == 0 ? whole : whole + (value < 0 ? -1 : 1);
}

EvaluatedScalar add_integers(Type type, Int128 a, Int128 b) {
  return within(type, bounded_sum(a, b));
}
EvaluatedScalar subtract_integers(Type type, Int128 a, Int128 b) {
  return within(type, bounded_difference(a, b));
}
EvaluatedScalar multiply_integers(Type type, Int128 a, Int128 b) {
  return within(type, bounded_product(a, b));
}
EvaluatedScalar divide_integers(Type type, Int128 a, Int128 b) { return divide(type, a, b, false); }
EvaluatedScalar modulo_of_integers(Type type, Int128 a, Int128 b) {
  return divide(type, a, b, true);
}

EvaluatedScalar shift_left(Type type, Int128 a, Int128 b) {
  if (a < 0 || b < 0) return zero_with(type, Code::overflow);
  if (a == 0) return {Scalar::of(type, a)};
  return b >= bits_of(type) ? zero_with(type, Code::overflow)
                            : within(type, a << static_cast<int>(b));
}

EvaluatedScalar shift_right(Type type, Int128 a, Int128 b) {
  return {Scalar::of(type, b < 0 || b >= bits_of(type) ? Int128{0} : a >> static_cast<int>(b))};
}

}  // namespace penstock::expr
