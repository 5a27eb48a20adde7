#include "fuse/program/column_comparison.hpp"

#include <cmath>
#include <limits>

#include "expr/operation.hpp"

namespace penstock::plan {
namespace {

// Integers up to here are exact as DOUBLE, and larger ones are no smaller as DOUBLE.
constexpr double exact_integers = 9007199254740992.0;  // 2^53

// The largest value of a column's type that is not above the constant.
struct Floor {
  Scalar value;
  bool is_exact = false;  // it is the constant
};

bool has_count(Type type) {
  return is_integer(type) || type.kind == Kind::decimal || type.kind == Kind::date32 ||
         type.kind == Kind::timestamp || type.kind == Kind::boolean;
}

bool is_number(Type type) { return is_integer(type) || type.kind == Kind::decimal; }

Int128 floor_divide(Int128 dividend, Int128 divisor) {
  const Int128 quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

// The constant's count in units of the column.
std::optional<Floor> floor_of_count(Type type, const Scalar& constant) {
  if (is_float(constant.type)) {
    if (!is_integer(type) || !(std::fabs(constant.real) <= exact_integers)) return std::nullopt;
    const double whole = std::floor(constant.real);
    return Floor{Scalar::of(type, static_cast<Int128>(whole)), whole == constant.real};
  }
  const bool are_numbers = is_number(type) && is_number(constant.type);
  if (!are_numbers && type.kind != constant.type.kind) return std::nullopt;
  if (!are_numbers || type.scale == constant.type.scale)
    return Floor{Scalar::of(type, constant.integer), true};
  if (type.scale > constant.type.scale) {
    Int128 count = 0;
    if (__builtin_mul_overflow(constant.integer,
                               expr::power_of_ten(type.scale - constant.type.scale), &count))
      return std::nullopt;
    return Floor{Scalar::of(type, count), true};
  }
  const Int128 unit = expr::power_of_ten(constant.type.scale - type.scale);
  return Floor{Scalar::of(type, floor_divide(constant.integer, unit)),
               constant.integer % unit == 0};
}

std::optional<Floor> floor_of_real(Type type, const Scalar& constant) {
  if (!is_float(constant.type) || std::isnan(constant.real)) return std::nullopt;
  double value = constant.real;
  if (type.kind == Kind::float32) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr double largest = std::numeric_limits<float>::max();
    float single = value > largest && !std::isinf(value)    ? std::numeric_limits<float>::max()
                   : value < -largest && !std::isinf(value) ? -infinity
                                                            : static_cast<float>(value);
    if (double{single} > value) single = std::nextafter(single, -infinity);
    value = single;
  }
  return Floor{Scalar::of(type, value), value == constant.real};
}

std::optional<Floor> floor_of(Type type, const Scalar& constant) {
  if (type.kind == Kind::string)
    return constant.type.kind == Kind::string ? std::optional(Floor{constant, true}) : std::nullopt;
  if (is_float(type)) return floor_of_real(type, constant);
  return has_count(type) ? floor_of_count(type, constant) : std::nullopt;
}

RowCondition with_constants(std::uint32_t column, Type type, RowTest test,
                            std::span<const Scalar> constants) {
  RowCondition condition;
  condition.test = test;
  condition.column = column;
  condition.constants = column_of(type, constants);
  return condition;
}

bool asks_for_smaller(RowTest test) { return test == RowTest::less || test == RowTest::less_equal; }
bool asks_for_larger(RowTest test) {
  return test == RowTest::greater || test == RowTest::greater_equal;
}

}  // namespace

bool keeps_order(Type from, Type to) {
  if (from == to || (from.kind == Kind::timestamp && to.kind == Kind::timestamp)) return true;
  if (expr::cast_can_fault(from, to)) return false;
  if (is_number(from) && is_number(to)) return to.scale >= from.scale;
  if (is_integer(from) && is_float(to)) return to.kind == Kind::float64 || width_bytes(from) <= 2;
  return from.kind == Kind::float32 && to.kind == Kind::float64;
}

std::optional<RowCondition> column_comparison(std::uint32_t column, Type type, RowTest test,
                                              const Scalar& constant) {
  if (constant.is_null) return std::nullopt;
  const auto floor = floor_of(type, constant);
  if (!floor) return std::nullopt;
  const RowCondition never = with_constants(column, type, RowTest::equal, {});
  if (has_count(type)) {
    const expr::Range range = expr::stored_range(type);
    const bool is_above = floor->value.integer > range.maximum;
    if (is_above || floor->value.integer < range.minimum) {
      const bool holds =
          test == RowTest::not_equal || (is_above ? asks_for_smaller(test) : asks_for_larger(test));
      return holds ? std::nullopt : std::optional(never);
    }
  }
  if (!floor->is_exact && test == RowTest::equal) return never;
  if (!floor->is_exact && test == RowTest::not_equal) return std::nullopt;
  if (!floor->is_exact && asks_for_smaller(test)) test = RowTest::less_equal;
  if (!floor->is_exact && asks_for_larger(test)) test = RowTest::greater;
  return with_constants(column, type, test, std::span(&floor->value, 1));
}

}  // namespace penstock::plan
