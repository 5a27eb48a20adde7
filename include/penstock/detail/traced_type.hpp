// The static result types of traced operations. Each rule mirrors one function of Builder
// (src/expr/builder.cpp) over the same promotion table; test/host/expr/trace_types_test.cpp
// compares them over all pairs of types.
#pragma once
#include <initializer_list>
#include <optional>
#include <utility>

#include "penstock/detail/promotion.hpp"
#include "penstock/detail/traced_value.hpp"

namespace penstock::traced {

// Returns the result's code, or that of `instead`, which prevents a second error after the first.
constexpr unsigned code_or(std::optional<Type> result, Kind instead) {
  return code_of(result.value_or(Type{instead}));
}

constexpr bool is_wide(Type t) {
  return t.kind == Kind::int128 || (t.kind == Kind::decimal && t.precision > 18);
}
constexpr bool is_integral(Type t) {
  return expr::promotion::holds(expr::promotion::integers, t.kind);
}
constexpr bool is_moment(Type t) { return t.kind == Kind::date32 || t.kind == Kind::timestamp; }
constexpr bool is_real(Type t) { return t.kind == Kind::float32 || t.kind == Kind::float64; }
constexpr bool is_number(Type t) { return is_integral(t) || is_real(t) || t.kind == Kind::decimal; }

constexpr Type promoted(Type t) {
  const bool narrow = t.kind == Kind::int8 || t.kind == Kind::int16 || t.kind == Kind::uint8 ||
                      t.kind == Kind::uint16;
  return narrow ? Type{Kind::int32} : t;
}

constexpr std::optional<Type> decimal_result(Op op, Type a, Type b, Type met) {
  if (op == Op::multiply) {
    const Type x = expr::as_decimal(a), y = expr::as_decimal(b);
    const int scale = x.scale + y.scale;
    if (scale > 18) return std::nullopt;
    return Type::decimal(
        std::min(std::min<int>(x.precision, 18) + std::min<int>(y.precision, 18), 18), scale);
  }
  return Type::decimal(std::min(met.precision + (op == Op::modulo ? 0 : 1), 18), met.scale);
}

// Returns the type of add, subtract, multiply, divide, integer_divide, modulo on promoted types.
constexpr std::optional<Type> arithmetic_result(Op op, Type a, Type b) {
  if (is_moment(a) || is_moment(b)) {
    if (op == Op::add && b.kind == Kind::date32) std::swap(a, b);
    if (a.kind != Kind::date32 || (op != Op::add && op != Op::subtract)) return std::nullopt;
    if (op == Op::subtract && b.kind == Kind::date32) return Type{Kind::int64};
    return b.kind == Kind::int32 ? std::optional<Type>(a) : std::nullopt;
  }
  if (!is_number(a) || !is_number(b) || is_wide(a) || is_wide(b)) return std::nullopt;
  const std::optional<Type> met = expr::meet(a, b, expr::Meeting::arithmetic);
  if (!met) return std::nullopt;
  if (is_real(*met)) return met;
  if (op == Op::divide || (op == Op::integer_divide && !(is_integral(a) && is_integral(b))))
    return Type{Kind::float64};
  if (met->kind == Kind::int128) return std::nullopt;
  return met->kind == Kind::decimal ? decimal_result(op, a, b, *met) : met;
}

constexpr std::optional<Type> bits_result(Type a, Type b) {
  if (!is_integral(a) || !is_integral(b)) return std::nullopt;
  const Type met = expr::meet(a, b, expr::Meeting::arithmetic).value_or(a);
  return met.kind == Kind::int128 ? std::nullopt : std::optional<Type>(met);
}

constexpr bool is_comparable(Type a, Type b) {
  const auto counts_as_number = [](Type t, Type other) {
    return t.kind == Kind::boolean && (is_real(other) || other.kind == Kind::decimal);
  };
  if (counts_as_number(a, b) || counts_as_number(b, a)) return !is_wide(a) && !is_wide(b);
  return !is_wide(a) && !is_wide(b) && expr::meet(a, b, expr::Meeting::comparison).has_value();
}

// Returns the common type of select's branches, or of the inputs of coalesce, least, greatest.
constexpr std::optional<Type> branch_result(std::initializer_list<Type> types) {
  Type type = *types.begin();
  for (Type other : types) {
    const std::optional<Type> met = expr::meet(type, other, expr::Meeting::comparison);
    if (!met || met->kind == Kind::int128 || is_wide(other)) return std::nullopt;
    type = *met;
  }
  if (type.kind == Kind::string) return std::nullopt;
  return type.kind == Kind::decimal && type.precision > 18 ? Type::decimal(18, type.scale) : type;
}

}  // namespace penstock::traced
