// The promotion table: the common type of two inputs of an operation. The same rows serve Builder
// at run time and the static types of traced lambdas at compile time.
//
// Every row was read off DuckDB 2.0: SELECT typeof(a + b) and typeof(coalesce(a, b)) for each pair
// of column types.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "penstock/column.hpp"

namespace penstock::expr {

enum class Meeting : unsigned char {
  arithmetic,
  comparison
};  // comparison: also select, coalesce, least, greatest

namespace promotion {

using Kinds = std::uint32_t;
constexpr Kinds of(Kind kind) { return Kinds{1} << static_cast<unsigned>(kind); }
constexpr Kinds i8 = of(Kind::int8), i16 = of(Kind::int16), i32 = of(Kind::int32),
                i64 = of(Kind::int64);
constexpr Kinds u8 = of(Kind::uint8), u16 = of(Kind::uint16), u32 = of(Kind::uint32),
                u64 = of(Kind::uint64);
constexpr Kinds integers = i8 | i16 | i32 | i64 | u8 | u16 | u32 | u64;
constexpr Kinds f32 = of(Kind::float32), f64 = of(Kind::float64), decimal = of(Kind::decimal),
                boolean = of(Kind::boolean), i128 = of(Kind::int128);

// Names an unordered pair of kinds and their common type. Kind::string stands for none.
struct Row {
  Kinds some, other;
  Kind arithmetic, comparison;
};
constexpr Kind none = Kind::string;

constexpr Row rows[] = {
    // Any number with a float: the float, the wider of two.
    {integers | i128 | decimal | f32, f64, Kind::float64, Kind::float64},
    {integers | i128 | decimal, f32, Kind::float32, Kind::float32},
    // Integers of one signedness: the wider.
    {i8 | i16 | i32, i64, Kind::int64, Kind::int64},
    {i8 | i16, i32, Kind::int32, Kind::int32},
    {i8, i16, Kind::int16, Kind::int16},
    {u8 | u16 | u32, u64, Kind::uint64, Kind::uint64},
    {u8 | u16, u32, Kind::uint32, Kind::uint32},
    {u8, u16, Kind::uint16, Kind::uint16},
    // A signed integer with a narrower unsigned one: the signed.
    {u8 | u16 | u32, i64, Kind::int64, Kind::int64},
    {u8 | u16, i32, Kind::int32, Kind::int32},
    {u8, i16, Kind::int16, Kind::int16},
    // A signed integer with an unsigned one at least as wide: BIGINT for arithmetic, the next wider
    // signed for comparison.
    {i8, u8, Kind::int64, Kind::int16},
    {i8 | i16, u16, Kind::int64, Kind::int32},
    {i8 | i16 | i32, u32, Kind::int64, Kind::int64},
    // A signed integer with UBIGINT: HUGEINT. Builder refuses it but for comparisons, which it does
    // by value.
    {i8 | i16 | i32 | i64, u64, Kind::int128, Kind::int128},
    {integers, i128, Kind::int128, Kind::int128},
    // Booleans are compared as 0 and 1, and take no part in arithmetic.
    {boolean, integers | i128, none, none},
    // A date is compared as the timestamp at its midnight.
    {of(Kind::date32), of(Kind::timestamp), none, Kind::timestamp},
};

constexpr bool holds(Kinds kinds, Kind kind) { return (kinds & of(kind)) != 0; }

}  // namespace promotion

// Returns how many digits before the point hold every value of an integer type.
constexpr int integer_digits(Kind kind) {
  switch (kind) {
    case Kind::int8:
    case Kind::uint8: return 3;
    case Kind::int16:
    case Kind::uint16: return 5;
    case Kind::int32:
    case Kind::uint32: return 10;
    case Kind::int64: return 19;
    case Kind::uint64: return 20;
    case Kind::int128: return 38;
    case Kind::boolean:
    case Kind::float32:
    case Kind::float64:
    case Kind::date32:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::string: break;  // no such integers
  }
  return 20;
}

constexpr Type as_decimal(Type type) {
  return type.kind == Kind::decimal ? type : Type::decimal(integer_digits(type.kind), 0);
}

// A decimal with a decimal, or with an integer as a decimal of scale 0: as many digits on both
// sides of the point as either has.
constexpr Type meet_decimal(Type a, Type b) {
  const int whole = std::max(a.precision - a.scale, b.precision - b.scale),
            scale = std::max(a.scale, b.scale);
  return Type::decimal(whole + scale, scale);
}

// Kind::int128 if DuckDB says HUGEINT; a decimal may come back with more than 18 digits: the
// caller decides what to do with either. Nothing if the types do not meet.
constexpr std::optional<Type> meet(Type a, Type b, Meeting meeting) {
  using namespace promotion;
  if (a == b) return a;
  if (a.logical != LogicalType::none || b.logical != LogicalType::none) return std::nullopt;
  const bool has_decimal = a.kind == Kind::decimal || b.kind == Kind::decimal;
  const Kinds whole = integers | i128 | decimal;
  if (has_decimal && holds(whole, a.kind) && holds(whole, b.kind)) {
    const Type met = meet_decimal(as_decimal(a), as_decimal(b));
    // An integer leaves a decimal its digits after the point.
    return met.precision > 38 && a.kind != b.kind ? Type::decimal(38, met.scale) : met;
  }
  for (const Row& row : rows) {
    if (!(holds(row.some, a.kind) && holds(row.other, b.kind)) &&
        !(holds(row.some, b.kind) && holds(row.other, a.kind)))
      continue;
    if (row.some == boolean && meeting == Meeting::comparison)
      return a.kind == Kind::boolean ? b : a;
    const Kind kind = meeting == Meeting::arithmetic ? row.arithmetic : row.comparison;
    return kind == none ? std::nullopt : std::optional<Type>(Type{kind});
  }
  return std::nullopt;
}

// Returns whether values of one type can be cast to the other.
constexpr bool is_castable(Type from, Type to) {
  using namespace promotion;
  if (from.logical != LogicalType::none || to.logical != LogicalType::none) return from == to;
  const auto is_value = [](Type t) {
    return holds(integers | i128 | decimal | f32 | f64 | boolean, t.kind);
  };
  const auto is_moment = [](Type t) { return t.kind == Kind::date32 || t.kind == Kind::timestamp; };
  return from == to || (is_value(from) && is_value(to)) || (is_moment(from) && is_moment(to));
}

}  // namespace penstock::expr
