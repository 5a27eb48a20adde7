#include "sql/bind/decimal_quotient.hpp"

#include <string>

namespace penstock::sql {
namespace {

constexpr int max_digits = 38;

// Returns the value in units of its last digit, as HUGEINT.
Result<NodeId> units_of(Builder& builder, NodeId value, int scale) {
  PENSTOCK_ASSIGN(const NodeId wide, builder.cast(value, Type::decimal(max_digits, scale)));
  PENSTOCK_ASSIGN(const NodeId high, builder.unary(Op::high_half, wide));
  PENSTOCK_ASSIGN(const NodeId low, builder.unary(Op::low_half, wide));
  return builder.from_halves(high, low, Type{Kind::int128});
}

int places_of(Type type) { return type.kind == Kind::decimal ? type.scale : 0; }

}  // namespace

Result<NodeId> decimal_quotient(Builder& builder, NodeId dividend, NodeId divisor, Type type) {
  const int divisor_scale = places_of(builder.type(divisor));
  if (type.scale + divisor_scale > max_digits)
    return Status(Code::unsupported, "a quotient of decimals with " + std::to_string(type.scale) +
                                         " decimal places by one with " +
                                         std::to_string(divisor_scale) + " is not supported");
  PENSTOCK_ASSIGN(const NodeId left, units_of(builder, dividend, type.scale + divisor_scale));
  PENSTOCK_ASSIGN(const NodeId right, units_of(builder, divisor, divisor_scale));
  PENSTOCK_ASSIGN(const NodeId units, builder.binary(Op::integer_divide, left, right));
  PENSTOCK_ASSIGN(const NodeId high, builder.unary(Op::high_half, units));
  PENSTOCK_ASSIGN(const NodeId low, builder.unary(Op::low_half, units));
  PENSTOCK_ASSIGN(const NodeId quotient,
                  builder.from_halves(high, low, Type::decimal(max_digits, type.scale)));
  return builder.cast(quotient, type);
}

}  // namespace penstock::sql
