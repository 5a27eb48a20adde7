#include <gtest/gtest.h>

#include "expr/narrow.hpp"

namespace penstock {
namespace {

constexpr std::uint32_t price = 0, quantity = 1, real = 2, total = 3, many = 4;

class NarrowValues : public ::testing::Test {
 protected:
  Builder rows{Schema{{"price", Type::decimal(7, 2), true},
                      {"quantity", Type{Kind::int32}, true},
                      {"real", Type{Kind::float64}, true},
                      {"total", Type::decimal(38, 2), true},
                      {"many", Type{Kind::int64}, true}}};

  std::optional<expr::Range> known;  // of `many`

  NodeId cast(std::uint32_t column, int digits, int scale) {
    return *rows.cast(rows.column(column), Type::decimal(digits, scale));
  }
  NodeId product(NodeId a, NodeId b) { return *rows.binary(Op::multiply, a, b); }
  std::string narrowed(NodeId wide) {
    const auto found = expr::narrowed(
        rows, wide, [&](std::uint32_t column) { return column == many ? known : std::nullopt; });
    if (!found.ok()) return found.status().text();
    if (!*found) return "";
    return text_of(*rows.graph(), **found, rows.schema()) + " " + name_of(rows.type(**found));
  }
};

TEST_F(NarrowValues, ProductOfDecimalAndIntegerHasSeventeenDigits) {
  const NodeId wide = product(cast(price, 26, 2), cast(quantity, 26, 0));
  EXPECT_EQ(name_of(rows.type(wide)), "DECIMAL(38,2)");
  EXPECT_EQ(narrowed(*rows.cast(wide, Type::decimal(26, 2))),
            "(CAST(price AS DECIMAL(18,2)) * CAST(quantity AS DECIMAL(18,0))) DECIMAL(18,2)");
}

TEST_F(NarrowValues, ChoiceOfProductAndZero) {
  const NodeId wide = product(cast(price, 26, 2), cast(quantity, 26, 0));
  const NodeId zero = rows.literal(Scalar::of(Type::decimal(26, 2), Int128{0}));
  const NodeId is_there = *rows.unary(Op::is_null, rows.column(real));
  EXPECT_EQ(narrowed(*rows.select(is_there, wide, zero)),
            "CASE WHEN (real IS NULL) THEN (CAST(price AS DECIMAL(18,2)) * CAST(quantity AS "
            "DECIMAL(18,0))) ELSE 0.00 END DECIMAL(18,2)");
}

TEST_F(NarrowValues, ValuesOfNineteenDigitsStayWide) {
  EXPECT_EQ(narrowed(rows.column(total)), "");
  EXPECT_EQ(narrowed(cast(real, 26, 2)), "");
  EXPECT_EQ(narrowed(cast(many, 26, 0)), "");
  EXPECT_EQ(narrowed(product(cast(price, 26, 2), cast(many, 26, 0))), "");
  EXPECT_EQ(
      narrowed(product(product(cast(price, 38, 2), cast(quantity, 38, 0)), cast(quantity, 38, 0))),
      "");
  EXPECT_EQ(narrowed(cast(price, 38, 14)), "");
}

TEST_F(NarrowValues, KnownRangesOfColumnsBoundProducts) {
  known = {{1, 100}};
  EXPECT_EQ(narrowed(product(cast(price, 26, 2), cast(many, 26, 0))),
            "(CAST(price AS DECIMAL(18,2)) * CAST(many AS DECIMAL(18,0))) DECIMAL(18,2)");
  known = {{-1'000'000'000'000, 0}};
  EXPECT_EQ(narrowed(product(cast(price, 26, 2), cast(many, 26, 0))), "");
}

TEST_F(NarrowValues, RoundingCastsStayWide) {
  EXPECT_EQ(narrowed(*rows.cast(cast(price, 26, 2), Type::decimal(26, 1))), "");
}

}  // namespace
}  // namespace penstock
