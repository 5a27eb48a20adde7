// Random expressions, and columns of values that break things: for tests that compare a device, the
// interpreter and DuckDB.
//
//     RandomExpressions random(seed);
//     Builder builder(random.schema());
//     NodeId root = random.expression(builder, depth);        // type-exact, of any type
//     std::vector<Column> columns = random.columns(row_count); // in the schema's order
#pragma once
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::test {

// One column of each type that kernels compute with, each also nullable: names "i32" and
// "i32_null".
inline Schema random_schema() {
  const std::pair<const char*, Type> types[] = {
      {"b", {Kind::boolean}},         {"i8", {Kind::int8}},
      {"i16", {Kind::int16}},         {"i32", {Kind::int32}},
      {"i64", {Kind::int64}},         {"u8", {Kind::uint8}},
      {"u16", {Kind::uint16}},        {"u32", {Kind::uint32}},
      {"u64", {Kind::uint64}},        {"f32", {Kind::float32}},
      {"f64", {Kind::float64}},       {"date", {Kind::date32}},
      {"moment", {Kind::timestamp}},  {"d4_1", Type::decimal(4, 1)},
      {"d9_4", Type::decimal(9, 4)},  {"d15_2", Type::decimal(15, 2)},
      {"d18_0", Type::decimal(18, 0)}};
  Schema schema;
  for (const auto& [name, type] : types) {
    schema.push_back({name, type, false});
    schema.push_back({std::string(name) + "_null", type, true});
  }
  return schema;
}

// The types of 128 bits, and what they are computed with and cast to.
inline Schema wide_schema() {
  const std::pair<const char*, Type> types[] = {{"huge", {Kind::int128}},
                                                {"d19_3", Type::decimal(19, 3)},
                                                {"d25_24", Type::decimal(25, 24)},
                                                {"d38_0", Type::decimal(38, 0)},
                                                {"d38_2", Type::decimal(38, 2)},
                                                {"d38_30", Type::decimal(38, 30)},
                                                {"d38_38", Type::decimal(38, 38)},
                                                {"d18_2", Type::decimal(18, 2)},
                                                {"d9_4", Type::decimal(9, 4)},
                                                {"b", {Kind::boolean}},
                                                {"i8", {Kind::int8}},
                                                {"i64", {Kind::int64}},
                                                {"u64", {Kind::uint64}},
                                                {"f32", {Kind::float32}},
                                                {"f64", {Kind::float64}}};
  Schema schema;
  for (const auto& [name, type] : types) {
    schema.push_back({name, type, false});
    schema.push_back({std::string(name) + "_null", type, true});
  }
  return schema;
}

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed, Schema schema = random_schema())
      : engine_(seed), schema_(std::move(schema)) {}

  const Schema& schema() const { return schema_; }

  // Draws at most `depth` operations in a row. Refusals (types that do not meet) are drawn again.
  NodeId expression(Builder& builder, int depth) {
    for (;;) {
      const Result<NodeId> node = draw(builder, depth);
      if (node.ok() && builder.type(*node).kind != Kind::string) return *node;
    }
  }

  // A value, often an extreme of its type, often small; never NULL.
  Scalar value(Type type) {
    if (is_float(type)) return Scalar::of(type, real(type));
    const auto [minimum, maximum] = bounds(type);
    if (type.kind != Kind::string && width_bytes(type) > 8) return wide(type, minimum, maximum);
    switch (below(4)) {
      case 0:
        return Scalar::of(type,
                          pick<Int128>({minimum, minimum + 1, maximum, maximum - 1, 0, 0, 1}));
      case 1: return Scalar::of(type, clamp(static_cast<Int128>(below(21)) - 10, minimum, maximum));
      case 2: {  // every magnitude alike
        const int bits = static_cast<int>(below(64));
        const Int128 magnitude = static_cast<Int128>(engine_() >> bits);
        return Scalar::of(type, clamp(below(2) == 0 ? magnitude : -magnitude, minimum, maximum));
      }
      default:
        return Scalar::of(
            type,
            minimum + static_cast<Int128>(static_cast<unsigned __int128>(engine_()) %
                                          static_cast<unsigned __int128>(maximum - minimum + 1)));
    }
  }

  std::vector<Scalar> values(const Field& field, std::size_t count) {
    std::vector<Scalar> result;
    for (std::size_t i = 0; i < count; i++)
      result.push_back(field.nullable && below(4) == 0 ? Scalar::null_of(field.type)
                                                       : value(field.type));
    return result;
  }

  std::vector<Column> columns(std::size_t row_count) {
    std::vector<Column> result;
    for (const Field& field : schema_)
      result.push_back(column_of(field.type, values(field, row_count)));
    return result;
  }

  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }

 private:
  template <class T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  static Int128 clamp(Int128 value, Int128 minimum, Int128 maximum) {
    return value < minimum ? minimum : value > maximum ? maximum : value;
  }

  // Near the ends, near powers of two and ten and their halves, and of every magnitude alike.
  Scalar wide(Type type, Int128 minimum, Int128 maximum) {
    const Int128 near = static_cast<Int128>(below(5)) - 2;
    const auto bits = static_cast<unsigned __int128>(engine_()) << 64 | engine_();
    Int128 power = 1;
    for (std::uint64_t i = below(38); i > 0; i--) power *= 10;
    Int128 value = 0;
    switch (below(5)) {
      case 0: return Scalar::of(type, pick<Int128>({minimum, minimum + 1, maximum, maximum - 1}));
      case 1: value = near; break;
      case 2: value = (Int128{1} << below(127)) + near; break;
      case 3: value = power * static_cast<Int128>(1 + below(9)) / 2 + near; break;
      default: value = static_cast<Int128>(bits >> (1 + below(126))); break;
    }
    return Scalar::of(type, clamp(below(2) == 0 ? value : -value, minimum, maximum));
  }

  static std::pair<Int128, Int128> bounds(Type type) {
    const int bits = static_cast<int>(width_bytes(type)) * 8;
    if (type.kind == Kind::int128)
      return {std::numeric_limits<Int128>::min(), std::numeric_limits<Int128>::max()};
    if (type.kind == Kind::boolean) return {0, 1};
    if (type.kind == Kind::date32) return {-2147483647, 2147483647};  // the ends are infinite
    if (type.kind == Kind::decimal) {
      Int128 limit = 1;
      for (int i = 0; i < type.precision; i++) limit *= 10;
      return {1 - limit, limit - 1};
    }
    if (is_integer(type) && !is_signed(type)) return {0, (Int128{1} << bits) - 1};
    return {-(Int128{1} << (bits - 1)), (Int128{1} << (bits - 1)) - 1};
  }

  // Subnormal numbers are left out: some devices flush them to zero.
  double real(Type type) {
    if (below(8) == 0) return near_a_power(type);
    constexpr double infinity = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const bool narrow = type.kind == Kind::float32;
    switch (below(4)) {
      case 0:
        return pick({0.0, -0.0, 1.0, -1.0, infinity, -infinity, nan,
                     narrow ? double{std::numeric_limits<float>::max()}
                            : std::numeric_limits<double>::max()});
      case 1: return (static_cast<double>(below(41)) - 20) / 2;  // halves, which rounding breaks
      case 2:
        return static_cast<float>(
            std::ldexp(static_cast<double>(engine_() >> 40), static_cast<int>(below(80)) - 50));
      default:
        return static_cast<float>((static_cast<double>(engine_() % 2000001) - 1000000) / 1000);
    }
  }

  // About where integers of 53, 63, 64 and 127 bits, and decimals of 38 digits, end.
  double near_a_power(Type type) {
    const double power = pick({0x1p53, 0x1p63, 0x1p64, 0x1p100, 0x1p127, 1e18, 1e37, 1e38});
    const double value = pick({power, std::nextafter(power, 0), std::nextafter(power, 1e300)});
    const double of_type = type.kind == Kind::float32 ? double{static_cast<float>(value)} : value;
    return below(2) == 0 ? of_type : -of_type;
  }

  Result<NodeId> draw(Builder& builder, int depth) {
    if (depth == 0 || below(8) == 0) return leaf(builder);
    const auto input = [&] { return expression(builder, depth - 1); };
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const Op op =
            pick({Op::add, Op::subtract, Op::multiply, Op::divide, Op::integer_divide, Op::modulo});
        const NodeId left = input();
        return builder.binary(op, left, input());
      }
      case 4:
      case 5: {
        const Op op = pick(
            {Op::equal, Op::not_equal, Op::less, Op::less_equal, Op::greater, Op::greater_equal});
        const NodeId left = input();
        return builder.binary(op, left, input());
      }
      case 6:
      case 7: {
        const Op op = pick({Op::and_, Op::or_});
        const NodeId left = input();
        return builder.binary(op, left, input());
      }
      case 8: {
        const Op op = pick({Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_left, Op::shift_right});
        const NodeId left = input();
        return builder.binary(op, left, input());
      }
      case 9:
        return builder.unary(pick({Op::negate, Op::absolute, Op::bit_not, Op::not_, Op::is_null}),
                             input());
      case 10:
        if (below(4) == 0) return half_or_whole(builder, input(), input());
        return builder.unary(
            pick({Op::floor, Op::ceiling, Op::round, Op::truncate, Op::square_root}), input());
      case 11:  // of a column of dates mostly: few other expressions are one
        return builder.unary(
            static_cast<Op>(static_cast<int>(Op::year) +
                            static_cast<int>(below(static_cast<std::uint64_t>(Op::high_half) -
                                                   static_cast<std::uint64_t>(Op::year)))),
            below(4) == 0 ? input() : date_column(builder));
      case 12:
      case 13: return builder.cast(input(), schema_[below(schema_.size())].type);
      case 14: {
        const NodeId condition = input(), then = input();
        return builder.select(condition, then, input());
      }
      default: {
        std::vector<NodeId> inputs;
        for (std::uint64_t i = 0, count = 2 + below(2); i < count; i++) inputs.push_back(input());
        return builder.variadic(pick({Op::coalesce, Op::least, Op::greatest}), std::move(inputs));
      }
    }
  }

  // Draws an operation of 128 bits. It is refused for other inputs, and drawn again.
  Result<NodeId> half_or_whole(Builder& builder, NodeId value, NodeId other) {
    if (below(2) == 0) return builder.unary(pick({Op::high_half, Op::low_half}), value);
    return builder.from_halves(value, other, pick({Type{Kind::int128}, Type::decimal(38, 2)}));
  }

  NodeId date_column(Builder& builder) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < schema_.size(); i++)
      if (schema_[i].type.kind == Kind::date32 || schema_[i].type.kind == Kind::timestamp)
        columns.push_back(i);
    return columns.empty() ? leaf(builder) : builder.column(columns[below(columns.size())]);
  }

  NodeId leaf(Builder& builder) {
    if (below(4) != 0) return builder.column(static_cast<std::uint32_t>(below(schema_.size())));
    const Type type = schema_[below(schema_.size())].type;
    if (below(16) == 0) return builder.literal(Scalar::null_of(type));
    Scalar scalar = value(type);
    if (below(2) == 0 && is_integer(type) && scalar.integer >= INT32_MIN &&
        scalar.integer <= INT32_MAX)
      scalar.type = {Kind::int32};
    return below(2) == 0 ? builder.literal(std::move(scalar)) : builder.captured(std::move(scalar));
  }

  std::mt19937_64 engine_;
  Schema schema_;
};

}  // namespace penstock::test
