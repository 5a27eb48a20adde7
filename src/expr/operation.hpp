// Properties of operations that graph, builder, interpreter and emitter share.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "expr/operation_row.hpp"

namespace penstock::expr {

// Digits of a decimal in 64 bits, and in 128 bits.
constexpr int max_decimal_digits = 18, max_wide_digits = 38;

// A value of more than 64 bits: a decimal of 19 to 38 digits.
constexpr bool is_wide_decimal(Type type) {
  return type.kind == Kind::decimal && type.precision > max_decimal_digits;
}

// A value of 128 bits, which kernels hold as the struct I128.
constexpr bool is_wide(Type type) { return type.kind == Kind::int128 || is_wide_decimal(type); }
// An integer of up to 128 bits.
inline bool is_whole(Type type) { return is_integer(type) || type.kind == Kind::int128; }

// Digits after the point.
constexpr int scale_of(Type type) { return type.kind == Kind::decimal ? type.scale : 0; }

// 10^exponent, 0 <= exponent <= 38.
constexpr Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; i++) power *= 10;
  return power;
}

// The smallest and largest value of an integer type, of a date32 or timestamp's count, or of a
// decimal's.
struct Range {
  Int128 minimum = 0, maximum = 0;
};
Range range_of(Type type);
// Returns the range of integers that the type's bytes hold: also the infinite dates, and counts
// beyond a decimal's digits.
Range stored_range(Type type);

// DuckDB's infinite dates and timestamps are the largest value of 32 or 64 bits, and its negation.
// The finite dates lie between them.
constexpr std::int64_t infinite_days = INT32_MAX, max_date_days = infinite_days - 1;
constexpr std::int64_t infinite_microseconds = INT64_MAX, microseconds_per_day = 86400000000;
constexpr std::int64_t min_timestamp_days = INT64_MIN / microseconds_per_day;  // DuckDB's first day
// `count` is the days of a date32 or the microseconds of a timestamp.
constexpr bool is_infinite(Type type, Int128 count) {
  const std::int64_t infinity = type.kind == Kind::date32 ? infinite_days : infinite_microseconds;
  return count == infinity || count == -infinity;
}

inline bool is_comparison(Op op) { return row_of(op).kind == OperationKind::comparison; }
// floor, ceiling, round, truncate
inline bool is_rounding(Op op) { return row_of(op).kind == OperationKind::rounding; }
inline bool is_date_part(Op op) { return row_of(op).kind == OperationKind::date_part; }
inline bool is_date_start(Op op) { return row_of(op).kind == OperationKind::date_start; }
// Returns the first timestamp that has the start of what it lies in: before it the start is no
// timestamp.
std::int64_t first_with_start(Op op);
// Functions of one float, with a result of its type.
inline bool is_float_function(Op op) {
  return row_of(op).kind == OperationKind::function || is_rounding(op);
}
// Returns whether the result is a number that is computed of one or two numbers (or dates).
inline bool is_arithmetic_or_bits(Op op) { return row_of(op).kind <= OperationKind::complement; }
// Returns whether there are types with which it can add a fault to the faults of its inputs.
bool can_fault_itself(Op op);

// Faults that the node itself can add to its inputs' faults. `invalid`: a zero divisor;
// `overflow`: out of range, or a part of an infinite date.
struct OwnFaults {
  bool invalid = false, overflow = false;
};
OwnFaults own_faults(const Graph& graph, const Node& node);
bool cast_can_fault(Type from, Type to);

// Tells for each node up to `last` whether evaluating it can end in a fault, its own or an input's.
std::vector<bool> faultable(const Graph& graph, NodeId last);
// Tells which nodes the roots reach.
std::vector<bool> reachable(const Graph& graph, std::span<const NodeId> roots);
// Returns the columns that the roots read, each once, in ascending order.
std::vector<std::uint32_t> columns_read(const Graph& graph, std::span<const NodeId> roots);

}  // namespace penstock::expr
