// Marks: whether a left row has a partner, as IN and EXISTS ask, in three values.
#include <gtest/gtest.h>

#include "on_device/relation/relation_fixture.hpp"

namespace penstock::test {
namespace {

struct MarkTables : Relations {
  RelationId left = table({{"k", numbers({1, 2, null})}});
  RelationId plain = table({{"k", numbers({2, 2, 3})}});
  RelationId with_null = table({{"k", numbers({2, null, 3})}});
  RelationId none = below(plain, 0, -100);
  RelationId mark(RelationId right) { return join(JoinType::mark, left, right, by_key); }
};

TEST(MarkRelation, InIsUnknownForANullOfTheLeftSide) {
  MarkTables sides;
  expect_rows(sides, sides.mark(sides.plain), {"1 false", "2 true", "NULL NULL"});
}
TEST(MarkRelation, InIsUnknownWhereANullOfTheRightSideMayBeEqual) {
  MarkTables sides;
  expect_rows(sides, sides.mark(sides.with_null), {"1 NULL", "2 true", "NULL NULL"});
}
TEST(MarkRelation, InNoRowsIsFalseEvenForNull) {
  MarkTables sides;
  expect_rows(sides, sides.mark(sides.none), {"1 false", "2 false", "NULL false"});
}
TEST(MarkRelation, InNullsAloneIsUnknown) {
  MarkTables sides;
  const RelationId nulls = sides.table({{"k", numbers({null, null})}});
  expect_rows(sides, sides.mark(nulls), {"1 NULL", "2 NULL", "NULL NULL"});
}
TEST(MarkRelation, ANullSafeMarkIsNeverUnknown) {
  MarkTables sides;
  expect_rows(sides, sides.join(JoinType::mark, sides.left, sides.with_null, {{0, 0, true}}),
              {"1 false", "2 true", "NULL true"});
}
TEST(MarkRelation, AMarkWithoutKeysIsWhetherThereAreRows) {
  MarkTables sides;
  expect_rows(sides, sides.join(JoinType::mark, sides.left, sides.plain, {}),
              {"1 true", "2 true", "NULL true"});
  expect_rows(sides, sides.join(JoinType::mark, sides.left, sides.none, {}),
              {"1 false", "2 false", "NULL false"});
}
TEST(MarkRelation, AMarkOfAConditionIsFalseWhereThatIsNull) {
  MarkTables sides;
  expect_rows(sides,
              sides.join(JoinType::mark, sides.left, sides.with_null, {},
                         Relations::Comparison{Op::greater, 0, 1}),
              {"1 false", "2 false", "NULL false"});
  expect_rows(sides,
              sides.join(JoinType::mark, sides.left, sides.with_null, {},
                         Relations::Comparison{Op::less, 0, 1}),
              {"1 true", "2 true", "NULL false"});
}
TEST(MarkRelation, EqualLeftRowsEachHaveTheirMark) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({7, 7, 8, 8})}}),
                   right = relations.table({{"k", numbers({7, 7})}});
  expect_rows(relations, relations.join(JoinType::mark, left, right, by_key),
              {"7 true", "7 true", "8 false", "8 false"});
}

// The first key says of which row the subquery is, the second is compared by IN.
TEST(MarkRelation, ACorrelatedInAsksForTheRowsOfItsOwnKeyAlone) {
  Relations relations;
  const RelationId left = relations.table({{"c", numbers({1, 1, 1, 2, 3, 3, null})},
                                           {"x", numbers({5, 6, null, 5, 5, null, 7})}}),
                   right = relations.table(
                       {{"c", numbers({1, 1, 2, null})}, {"x", numbers({5, 7, null, 7})}});
  expect_rows(relations, relations.join(JoinType::mark, left, right, {{0, 0, true}, {1, 1}}),
              {"1 5 true", "1 6 false", "1 NULL NULL", "2 5 NULL", "3 5 false", "3 NULL false",
               "NULL 7 true"});
}
// As `x.k IN (SELECT y.k FROM y WHERE y.k = x.k)`. Both keys are left out when rows are counted.
TEST(MarkRelation, AnInOverTheColumnOfItsOwnKeyAsksForItsRowsAlone) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({1, 2, null})}}),
                   right = relations.table({{"k", numbers({1})}});
  expect_rows(relations, relations.join(JoinType::mark, left, right, {{0, 0, true}, {0, 0}}),
              {"1 true", "2 false", "NULL false"});
}
TEST(MarkRelation, AConditionOfTheRightSideAloneChoosesTheRowsThatAreCounted) {
  MarkTables sides;
  const RelationId right = sides.table(
      {{"k", numbers({2, null, 1})}, {"w", numbers({1, 9, 9})}, {"limit", numbers({5, 5, 5})}});
  expect_rows(
      sides,
      sides.join(JoinType::mark, sides.left, right, by_key, Relations::Comparison{Op::less, 2, 3}),
      {"1 false", "2 true", "NULL NULL"});
}

TEST(MarkRelation, AFilterByTheMarkIsASemiJoin) {
  MarkTables sides;
  const RelationId kept = sides.where(sides.mark(sides.with_null), 1);
  EXPECT_EQ(sides.steps(kept, StepKind::join, JoinKind::semi), 1u);
  EXPECT_EQ(sides.steps(kept, StepKind::join), 1u);
  expect_rows(sides, kept, {"2 true"});
}
TEST(MarkRelation, AFilterByItsOppositeIsNotInWhereNullsMayBe) {
  MarkTables sides;
  const RelationId kept = sides.where(sides.mark(sides.with_null), 1, false);
  EXPECT_EQ(sides.steps(kept, StepKind::join, JoinKind::not_in), 1u);
  expect_rows(sides, kept, {});
  expect_rows(sides, sides.where(sides.mark(sides.plain), 1, false), {"1 false"});
  expect_rows(sides, sides.where(sides.mark(sides.none), 1, false),
              {"1 false", "2 false", "NULL false"});
}
TEST(MarkRelation, AFilterByItsOppositeIsAnAntiJoinWhereNullIsEqual) {
  MarkTables sides;
  const RelationId mark = sides.join(JoinType::mark, sides.left, sides.with_null, {{0, 0, true}});
  const RelationId kept = sides.where(mark, 1, false);
  EXPECT_EQ(sides.steps(kept, StepKind::join, JoinKind::anti), 1u);
  expect_rows(sides, kept, {"1 false"});
}
TEST(MarkRelation, AFilterOfTheOppositeOfACorrelatedInKeepsTheKnownRows) {
  Relations relations;
  const RelationId left = relations.table(
                       {{"c", numbers({1, 1, 2, 3, 3})}, {"x", numbers({5, 6, 5, 5, null})}}),
                   right = relations.table({{"c", numbers({1, 2})}, {"x", numbers({5, null})}});
  const RelationId mark = relations.join(JoinType::mark, left, right, {{0, 0, true}, {1, 1}});
  expect_rows(relations, relations.where(mark, 2, false),
              {"1 6 false", "3 5 false", "3 NULL false"});
}
TEST(MarkRelation, FurtherConditionsOfTheFilterStillHold) {
  MarkTables sides;
  const RelationId mark = sides.mark(sides.with_null);
  Builder rows = sides.builder(mark);
  const NodeId small =
      *rows.binary(Op::less, rows.column(0u), rows.literal(Scalar::of(std::int32_t{2})));
  const NodeId both = *rows.binary(Op::and_, small, rows.column(1u));
  expect_rows(sides, Relations::right(sides.graph.filter(mark, rows.graph(), both)), {});
  const NodeId opposite = *rows.unary(Op::not_, small);
  const NodeId other = *rows.binary(Op::and_, rows.column(1u), opposite);
  expect_rows(sides, Relations::right(sides.graph.filter(mark, rows.graph(), other)), {"2 true"});
}
TEST(MarkRelation, AFilterThatAsksForTheMarkOrAnotherConditionKeepsBoth) {
  MarkTables sides;
  const RelationId mark = sides.mark(sides.with_null);
  Builder rows = sides.builder(mark);
  const NodeId is_null = *rows.unary(Op::is_null, rows.column(0u));
  const NodeId either = *rows.binary(Op::or_, rows.column(1u), is_null);
  expect_rows(sides, Relations::right(sides.graph.filter(mark, rows.graph(), either)),
              {"2 true", "NULL NULL"});
}
TEST(MarkRelation, AMarkThatOthersReadTooIsAColumn) {
  MarkTables sides;
  const RelationId mark = sides.mark(sides.with_null);
  const RelationId both = sides.join(JoinType::inner, sides.where(mark, 1), mark, by_key);
  expect_rows(sides, both, {"2 true 2 true"});
}
TEST(MarkRelation, AFilterByTheMarkOfAResidualIsASemiJoinWithIt) {
  MarkTables sides;
  const RelationId mark = sides.join(JoinType::mark, sides.left, sides.plain, {},
                                     Relations::Comparison{Op::greater, 0, 1});
  expect_rows(sides, sides.where(mark, 1), {});
  expect_rows(sides, sides.where(mark, 1, false), {"1 false", "2 false", "NULL false"});
}

TEST(MarkRelation, InOfSeveralColumnsThatMayBeNullIsRefusedAsAColumn) {
  Relations relations;
  const RelationId side = relations.table({{"a", numbers({1, null})}, {"b", numbers({1, 1})}});
  const RelationId mark = relations.join(JoinType::mark, side, side, {{0, 0}, {1, 1}});
  Plan plan;
  const auto step = relations.lowered(mark, plan);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.status().code(), Code::unsupported);
  expect_rows(relations, relations.where(mark, 2), {"1 1 true"});
}

}  // namespace
}  // namespace penstock::test
