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

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed) : engine_(seed), schema_(random_schema()) {}

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

  static std::pair<Int128, Int128> bounds(Type type) {
    const int bits = static_cast<int>(width_bytes(type)) * 8;
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

  NodeId date_column(Builder& builder) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < schema_.size(); i++)
      if (schema_[i].type.kind == Kind::date32 || schema_[i].type.kind == Kind::timestamp)
        columns.push_back(i);
    return builder.column(columns[below(columns.size())]);
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
