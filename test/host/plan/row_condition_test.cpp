// Conditions that sources are told of: never narrower than the predicates they come from.
#include <gtest/gtest.h>

#include "fuse/program/row_condition.hpp"
#include "penstock/query.hpp"

namespace penstock::plan {
namespace {

std::string text(const RowCondition& condition) {
  static constexpr const char* names[] = {
      "and", "or", "=", "<>", "<", "<=", ">", ">=", "^", "null", "present"};
  std::string parts;
  for (const RowCondition& part : condition.conditions) parts += " " + text(part);
  for (std::uint64_t row = 0; row < condition.constants.row_count; row++)
    parts += " " + text_of(scalar_at(condition.constants, row));
  const std::string name = names[static_cast<std::size_t>(condition.test)];
  const bool is_group = condition.test == RowTest::all_of || condition.test == RowTest::any_of;
  return "(" + (is_group ? "" : std::to_string(condition.column) + " ") + name + parts +
         (condition.keeps_nulls && !is_group ? " or null" : "") + ")";
}

// Columns 0 to 5: i INTEGER, d DECIMAL(9,2), s VARCHAR, f FLOAT, b BOOLEAN, n BIGINT.
struct Rows {
  Plan plan;
  StepId source;
  Builder b;
  NodeId i, d, s, f, flag, n;

  static Table table() {
    Column decimals = Column::from(std::vector<std::optional<std::int64_t>>{1, 2});
    decimals.type = Type::decimal(9, 2);
    return Table::of(
        {{"i", Column::from(std::vector<std::optional<std::int32_t>>{1, 2})},
         {"d", decimals},
         {"s", Column::from_strings(std::vector<std::optional<std::string>>{"a", std::nullopt})},
         {"f", Column::from(std::vector<float>{1, 2})},
         {"b", Column::from_booleans({true, false})},
         {"n", Column::from(std::vector<std::int64_t>{1, 2})}});
  }
  Rows()
      : source(plan.source(table_source(table()))),
        b(plan.step(source).schema),
        i(b.column(0u)),
        d(b.column(1u)),
        s(b.column(2u)),
        f(b.column(3u)),
        flag(b.column(4u)),
        n(b.column(5u)) {}

  NodeId is(Op op, NodeId left, NodeId right) { return *b.binary(op, left, right); }
  NodeId of(auto value) { return b.literal(Scalar::of(value)); }
  NodeId as(NodeId node, Type type) { return *b.cast(node, type); }
  NodeId decimal(std::int64_t count, int scale) {
    return b.literal(Scalar::of(Type::decimal(18, scale), Int128{count}));
  }
  NodeId no(NodeId node) { return *b.unary(Op::not_, node); }

  std::string needed(std::vector<NodeId> predicates) {
    StepId step = source;
    for (const NodeId predicate : predicates) step = *plan.filter(step, b.graph(), predicate);
    const auto program = fuse(plan, source, step);
    EXPECT_TRUE(program.ok()) << program.status().text();
    const auto condition = needed_rows(*program);
    return condition ? text(*condition) : "all";
  }

  // As needed(), of a join by i behind the predicates. The keys of its right side lie in the
  // ranges.
  std::string needed_by_join(JoinKind kind, std::vector<std::pair<int, int>> ranges,
                             std::vector<NodeId> before = {}) {
    StepId step = source;
    for (const NodeId predicate : before) step = *plan.filter(step, b.graph(), predicate);
    step = *plan.join(step, plan.source(table_source(table())), kind, {{0, 0}});
    const auto program = fuse(plan, source, step);
    EXPECT_TRUE(program.ok()) << program.status().text();
    JoinedValues joined;
    for (const auto& [least, greatest] : ranges)
      joined.ranges.emplace_back(Scalar::of(least), Scalar::of(greatest));
    const auto condition = needed_rows(*program, std::span(&joined, 1));
    return condition ? text(*condition) : "all";
  }
};

TEST(RowCondition, AComparisonIsOfTheColumnFromEitherSide) {
  Rows r;
  EXPECT_EQ(r.needed({r.is(Op::less, r.i, r.of(5))}), "(and (0 < 5))");
  EXPECT_EQ(r.needed({r.is(Op::less, r.of(5), r.i)}), "(and (0 > 5))");
  EXPECT_EQ(r.needed({r.no(r.is(Op::less, r.i, r.of(5)))}), "(and (0 >= 5))");
  EXPECT_EQ(r.needed({r.flag}), "(and (4 = true))");
  EXPECT_EQ(r.needed({r.no(r.flag)}), "(and (4 = false))");
}

TEST(RowCondition, AConstantOfAnotherTypeIsRoundedOutwards) {
  Rows r;
  const NodeId wide = r.as(r.d, Type::decimal(18, 4));
  EXPECT_EQ(r.needed({r.is(Op::less, wide, r.decimal(12345, 4))}), "(and (1 <= 1.23))");
  EXPECT_EQ(r.needed({r.is(Op::greater_equal, wide, r.decimal(12345, 4))}), "(and (1 > 1.23))");
  EXPECT_EQ(r.needed({r.is(Op::greater_equal, wide, r.decimal(-12345, 4))}), "(and (1 > -1.24))");
  EXPECT_EQ(r.needed({r.is(Op::less, wide, r.decimal(12300, 4))}), "(and (1 < 1.23))");
  EXPECT_EQ(r.needed({r.is(Op::equal, wide, r.decimal(12345, 4))}), "(and (1 =))");
  EXPECT_EQ(r.needed({r.is(Op::not_equal, wide, r.decimal(12345, 4))}), "all");
  const NodeId real = r.as(r.i, {Kind::float64});
  EXPECT_EQ(r.needed({r.is(Op::less, real, r.of(-2.5))}), "(and (0 <= -3))");
  EXPECT_EQ(r.needed({r.is(Op::less, r.as(r.f, {Kind::float64}), r.of(0.1))}),
            "(and (3 <= 0.099999994))");
}

TEST(RowCondition, AConstantBeyondTheTypeIsBelowOrAboveAllValues) {
  Rows r;
  const NodeId wide = r.as(r.i, {Kind::int64});
  const NodeId huge = r.of(std::int64_t{1} << 40);
  EXPECT_EQ(r.needed({r.is(Op::greater, wide, huge)}), "(and (0 =))");
  EXPECT_EQ(r.needed({r.is(Op::less, wide, huge)}), "all");
  EXPECT_EQ(r.needed({r.is(Op::equal, wide, huge)}), "(and (0 =))");
}

TEST(RowCondition, LargeIntegersAreNotComparedAsRoundedFloats) {
  Rows r;
  const NodeId real = r.as(r.n, {Kind::float64});
  EXPECT_EQ(r.needed({r.is(Op::less, real, r.of(9007199254740992.0))}),
            "(and (5 < 9007199254740992))");
  EXPECT_EQ(r.needed({r.is(Op::less, real, r.of(9007199254740994.0))}), "all");
  EXPECT_EQ(r.needed({r.is(Op::less, real, r.of(std::nan("")))}), "all");
}

TEST(RowCondition, APartThatTellsNothingLeavesAnAndAndEndsAnOr) {
  Rows r;
  const NodeId known = r.is(Op::less, r.i, r.of(5)),
               unknown = r.is(Op::less, r.f, r.as(r.i, {Kind::float32}));
  EXPECT_EQ(r.needed({r.is(Op::and_, known, unknown)}), "(and (and (0 < 5)))");
  EXPECT_EQ(r.needed({r.is(Op::or_, known, unknown)}), "all");
  EXPECT_EQ(r.needed({r.is(Op::or_, known, r.is(Op::equal, r.n, r.of(std::int64_t{7})))}),
            "(and (or (0 < 5) (5 = 7)))");
  EXPECT_EQ(r.needed({r.no(r.is(Op::or_, known, unknown))}), "(and (and (0 >= 5)))");
}

TEST(RowCondition, ANullIsKeptBesideAFaultAndNothingIsTakenBehindIt) {
  Rows r;
  const NodeId fault = r.is(Op::greater, r.is(Op::integer_divide, r.of(10), r.i), r.of(3)),
               known = r.is(Op::less, r.i, r.of(5)),
               other = r.is(Op::equal, r.n, r.of(std::int64_t{7}));
  EXPECT_EQ(r.needed({r.is(Op::and_, known, fault)}), "(and (and (0 < 5 or null)))");
  EXPECT_EQ(r.needed({r.is(Op::and_, fault, known)}), "(and (and (0 < 5 or null)))");
  EXPECT_EQ(r.needed({fault, known}), "all");
  EXPECT_EQ(r.needed({known, fault, other}), "(and (0 < 5))");
}

TEST(RowCondition, ACastThatFaultsIsNoComparisonOfItsColumn) {
  Rows r;
  const NodeId narrow = r.as(r.n, {Kind::int8});
  EXPECT_EQ(r.needed({r.is(Op::less, narrow, r.of(std::int8_t{5}))}), "all");
}

TEST(RowCondition, StringsAreComparedAndSearchedByTheirBeginnings) {
  Rows r;
  const auto call = [&](const char* name, const char* constant) {
    return *r.b.string_function(name, {r.s, r.of(std::string(constant))});
  };
  EXPECT_EQ(r.needed({r.is(Op::equal, r.s, r.of(std::string("x")))}), "(and (2 = x))");
  EXPECT_EQ(r.needed({r.is(Op::less, r.s, r.of(std::string("x")))}), "(and (2 < x))");
  EXPECT_EQ(r.needed({call("like", "ab%c_")}), "(and (2 ^ ab))");
  EXPECT_EQ(r.needed({call("like", "ab\\%c")}), "(and (2 ^ ab))");
  EXPECT_EQ(r.needed({call("like", "%ab")}), "all");
  EXPECT_EQ(r.needed({r.no(call("like", "ab%"))}), "all");
  EXPECT_EQ(r.needed({call("starts_with", "a%")}), "(and (2 ^ a%))");
  EXPECT_EQ(r.needed({call("contains", "a")}), "all");
}

TEST(RowCondition, AJoinThatDropsRowsNeedsTheRangesOfItsKeys) {
  Rows r;
  const std::string two = "(and (or (and (0 >= 1) (0 <= 3)) (and (0 >= 7) (0 <= 7))))";
  EXPECT_EQ(r.needed_by_join(JoinKind::inner, {{1, 3}, {7, 7}}), two);
  EXPECT_EQ(r.needed_by_join(JoinKind::semi, {{1, 3}, {7, 7}}), two);
  EXPECT_EQ(r.needed_by_join(JoinKind::inner, {}), "(and (or))");
}

TEST(RowCondition, AJoinThatKeepsOtherRowsNeedsAll) {
  for (const JoinKind kind : {JoinKind::left, JoinKind::anti, JoinKind::not_in}) {
    Rows r;
    EXPECT_EQ(r.needed_by_join(kind, {{1, 3}}), "all") << name_of(kind);
  }
}

TEST(RowCondition, AFaultBeforeAJoinIsNotHiddenByItsKeys) {
  Rows r;
  const NodeId fault = r.is(Op::greater, r.is(Op::integer_divide, r.of(10), r.i), r.of(3));
  EXPECT_EQ(r.needed_by_join(JoinKind::inner, {{1, 3}}, {fault}), "all");
}

}  // namespace
}  // namespace penstock::plan
