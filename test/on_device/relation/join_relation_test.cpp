// Joins of the relational algebra, lowered to steps, by SQL's rules.
#include <gtest/gtest.h>

#include "on_device/relation/relation_fixture.hpp"

namespace penstock::test {
namespace {

const std::vector<RelationKey> by_null_safe_key = {{0, 0, true}};
const Relations::Comparison left_is_less{Op::less, 1, 3};   // v < w
const Relations::Comparison keys_are_less{Op::less, 0, 2};  // l.k < r.k
const Relations::Comparison right_alone{Op::less, 2, 3};    // r.k < w

// Keys that are alone, repeated, NULL, and there on one side only.
struct JoinTables : Relations {
  RelationId left =
      table({{"k", numbers({1, 2, 2, null, 4})}, {"v", numbers({10, 20, 21, 30, 40})}});
  RelationId right =
      table({{"k", numbers({2, 2, 3, null, 4})}, {"w", numbers({20, 22, 30, 31, 4})}});
  RelationId none = below(right, 0, -100);
};

void expect_join(JoinType type, const std::vector<RelationKey>& keys,
                 std::optional<Relations::Comparison> residual, const Rows& wanted) {
  JoinTables sides;
  expect_rows(sides, sides.join(type, sides.left, sides.right, keys, residual), wanted);
}

TEST(JoinRelation, InnerYieldsEachPairOfEqualKeysAndNoNull) {
  expect_join(JoinType::inner, by_key, {},
              {"2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22", "4 40 4 4"});
}
TEST(JoinRelation, InnerWithAResidualLosesThePairsThatItRefuses) {
  expect_join(JoinType::inner, by_key, left_is_less, {"2 20 2 22", "2 21 2 22"});
}
TEST(JoinRelation, InnerWithAResidualOverTheRightSideAloneKeepsItsRows) {
  expect_join(JoinType::inner, by_key, right_alone,
              {"2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22"});
}
TEST(JoinRelation, InnerWithoutKeysTakesEveryPairOfTheResidual) {
  expect_join(JoinType::inner, {}, keys_are_less,
              {"1 10 2 20", "1 10 2 22", "1 10 3 30", "1 10 4 4", "2 20 3 30", "2 20 4 4",
               "2 21 3 30", "2 21 4 4"});
}
TEST(JoinRelation, ACrossProductHasEveryPair) {
  Relations relations;
  const RelationId left = relations.table({{"a", numbers({1, null})}}),
                   right = relations.table({{"b", texts({"x", null, "z"})}});
  expect_rows(relations, relations.join(JoinType::inner, left, right, {}),
              {"1 x", "1 NULL", "1 z", "NULL x", "NULL NULL", "NULL z"});
}
TEST(JoinRelation, NullSafeKeysJoinNullsOfBothSidesAndNoZero) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({0, null, 1})}}),
                   right = relations.table({{"k", numbers({null, 0, null, 2})}});
  expect_rows(relations, relations.join(JoinType::inner, left, right, by_null_safe_key),
              {"0 0", "NULL NULL", "NULL NULL"});
}
TEST(JoinRelation, NullSafeTextsTellNullFromTheEmptyText) {
  Relations relations;
  const RelationId left = relations.table({{"k", texts({"", null, "a"})}}),
                   right = relations.table({{"k", texts({null, "", "b"})}});
  expect_rows(relations, relations.join(JoinType::inner, left, right, by_null_safe_key),
              {" ", "NULL NULL"});
}
TEST(JoinRelation, ANullSafeKeyBesideAPlainOneLeavesThePlainOneItsRule) {
  Relations relations;
  const RelationId left = relations.table(
                       {{"a", numbers({1, null, 1})}, {"b", numbers({1, 1, null})}}),
                   right = relations.table(
                       {{"a", numbers({1, null, 1})}, {"b", numbers({1, 1, null})}});
  expect_rows(relations, relations.join(JoinType::inner, left, right, {{0, 0, true}, {1, 1}}),
              {"1 1 1 1", "NULL 1 NULL 1"});
}

TEST(JoinRelation, LeftKeepsRowsWithoutAPartner) {
  expect_join(JoinType::left, by_key, {},
              {"1 10 NULL NULL", "2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22",
               "NULL 30 NULL NULL", "4 40 4 4"});
}
TEST(JoinRelation, LeftWithAResidualKeepsARowThatTheResidualLeavesAlone) {
  expect_join(JoinType::left, by_key, left_is_less,
              {"1 10 NULL NULL", "2 20 2 22", "2 21 2 22", "NULL 30 NULL NULL", "4 40 NULL NULL"});
}
TEST(JoinRelation, LeftWithAResidualOverTheRightSideAloneKeepsEveryLeftRow) {
  expect_join(JoinType::left, by_key, right_alone,
              {"1 10 NULL NULL", "2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22",
               "NULL 30 NULL NULL", "4 40 NULL NULL"});
}
TEST(JoinRelation, LeftWithAResidualOverTheLeftSideAloneKeepsEveryLeftRow) {
  expect_join(JoinType::left, by_key, Relations::Comparison{Op::greater, 0, 1},
              {"1 10 NULL NULL", "2 20 NULL NULL", "2 21 NULL NULL", "NULL 30 NULL NULL",
               "4 40 NULL NULL"});
}
TEST(JoinRelation, LeftWithoutKeysTakesThePairsOfTheResidual) {
  expect_join(JoinType::left, {}, Relations::Comparison{Op::equal, 1, 3},
              {"1 10 NULL NULL", "2 20 2 20", "2 21 NULL NULL", "NULL 30 3 30", "4 40 NULL NULL"});
}
TEST(JoinRelation, LeftOverNoRightRowsKeepsEveryLeftRow) {
  JoinTables sides;
  const Rows wanted = {"1 10 NULL NULL", "2 20 NULL NULL", "2 21 NULL NULL", "NULL 30 NULL NULL",
                       "4 40 NULL NULL"};
  expect_rows(sides, sides.join(JoinType::left, sides.left, sides.none, by_key), wanted);
  expect_rows(sides, sides.join(JoinType::left, sides.left, sides.none, {}, keys_are_less), wanted);
}
TEST(JoinRelation, LeftRowsThatAreEqualEachKeepTheirOwn) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({1, 1, null, null})}}),
                   right = relations.table({{"k", numbers({1})}, {"w", numbers({5})}});
  expect_rows(
      relations,
      relations.join(JoinType::left, left, right, by_key, Relations::Comparison{Op::less, 1, 2}),
      {"1 1 5", "1 1 5", "NULL NULL NULL", "NULL NULL NULL"});
}

TEST(JoinRelation, SemiYieldsALeftRowOnceHoweverManyPartnersItHas) {
  expect_join(JoinType::semi, by_key, {}, {"2 20", "2 21", "4 40"});
}
TEST(JoinRelation, SemiWithAResidualAsksForOnePairOfIt) {
  expect_join(JoinType::semi, by_key, left_is_less, {"2 20", "2 21"});
}
TEST(JoinRelation, SemiWithoutKeysAsksForOnePairOfTheResidual) {
  expect_join(JoinType::semi, {}, keys_are_less, {"1 10", "2 20", "2 21"});
}
TEST(JoinRelation, SemiWithoutKeysOrResidualAsksWhetherThereAreRows) {
  JoinTables sides;
  expect_rows(sides, sides.join(JoinType::semi, sides.left, sides.none, {}), {});
  expect_rows(sides, sides.join(JoinType::semi, sides.left, sides.right, {}),
              {"1 10", "2 20", "2 21", "NULL 30", "4 40"});
}
TEST(JoinRelation, SemiByNullSafeKeysKeepsNull) {
  expect_join(JoinType::semi, by_null_safe_key, {}, {"2 20", "2 21", "NULL 30", "4 40"});
}
TEST(JoinRelation, AntiKeepsANullThatIsEqualToNothing) {
  expect_join(JoinType::anti, by_key, {}, {"1 10", "NULL 30"});
}
TEST(JoinRelation, AntiWithAResidualKeepsARowWhosePairsItRefuses) {
  expect_join(JoinType::anti, by_key, left_is_less, {"1 10", "NULL 30", "4 40"});
}
TEST(JoinRelation, AntiByNullSafeKeysLosesNull) {
  expect_join(JoinType::anti, by_null_safe_key, {}, {"1 10"});
}
TEST(JoinRelation, AntiWithAResidualOverTheRightSideAloneKeepsTheRowsThatItLeavesAlone) {
  expect_join(JoinType::anti, by_key, right_alone, {"1 10", "NULL 30", "4 40"});
}
TEST(JoinRelation, AntiWithoutKeysOrResidualAsksWhetherThereAreNoRows) {
  JoinTables sides;
  expect_rows(sides, sides.join(JoinType::anti, sides.left, sides.right, {}), {});
  expect_rows(sides, sides.join(JoinType::anti, sides.left, sides.none, {}),
              {"1 10", "2 20", "2 21", "NULL 30", "4 40"});
}

// Rows of k and v with, or without, a partner of the same k whose w IS DISTINCT FROM v.
struct DistinctPartners : Relations {
  RelationId left = table({{"k", numbers({1, 1, 2, 2, 3, 3, 4, 5})},
                           {"v", numbers({10, null, 20, null, 30, null, 40, null})}});
  RelationId right =
      table({{"k", numbers({1, 1, 2, 2, 3, 4})}, {"w", numbers({10, 10, 20, null, null, 41})}});

  NodeId is_distinct(Builder& rows, NodeId a, NodeId b) const {
    const NodeId no_a = *rows.unary(Op::is_null, a), no_b = *rows.unary(Op::is_null, b);
    return *rows.select(*rows.binary(Op::or_, no_a, no_b), *rows.binary(Op::not_equal, no_a, no_b),
                        *rows.binary(Op::not_equal, a, b));
  }
  RelationId half(JoinType type) {
    RelationJoin join{type, by_key};
    Builder rows = pair(left, right);
    join.residual = is_distinct(rows, rows.column(1u), rows.column(3u));
    join.graph = rows.graph();
    return Relations::right(graph.join(left, right, std::move(join)));
  }
};
TEST(JoinRelation, SemiWithADistinctPartnerTakesNullForAValueAndMakesNoPairs) {
  DistinctPartners sides;
  const RelationId rows = sides.half(JoinType::semi);
  EXPECT_EQ(sides.steps(rows, StepKind::join, JoinKind::inner), 0u);
  expect_rows(sides, rows, {"1 NULL", "2 20", "2 NULL", "3 30", "4 40"});
}
TEST(JoinRelation, AntiWithADistinctPartnerKeepsRowsWhosePartnersAreAllEqual) {
  DistinctPartners sides;
  expect_rows(sides, sides.half(JoinType::anti), {"1 10", "3 NULL", "5 NULL"});
}

TEST(JoinRelation, FullKeepsRowsOfBothSidesWithoutAPartner) {
  expect_join(JoinType::full, by_key, {},
              {"1 10 NULL NULL", "2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22",
               "NULL 30 NULL NULL", "4 40 4 4", "NULL NULL 3 30", "NULL NULL NULL 31"});
}
TEST(JoinRelation, FullWithAResidualKeepsRightRowsWhosePairsItRefuses) {
  expect_join(JoinType::full, by_key, left_is_less,
              {"1 10 NULL NULL", "2 20 2 22", "2 21 2 22", "NULL 30 NULL NULL", "4 40 NULL NULL",
               "NULL NULL 2 20", "NULL NULL 3 30", "NULL NULL NULL 31", "NULL NULL 4 4"});
}
TEST(JoinRelation, FullWithAResidualOverTheRightSideAloneKeepsEveryRightRow) {
  expect_join(
      JoinType::full, by_key, right_alone,
      {"1 10 NULL NULL", "2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22", "NULL 30 NULL NULL",
       "4 40 NULL NULL", "NULL NULL 3 30", "NULL NULL NULL 31", "NULL NULL 4 4"});
}
TEST(JoinRelation, FullByNullSafeKeysJoinsNulls) {
  expect_join(JoinType::full, by_null_safe_key, {},
              {"1 10 NULL NULL", "2 20 2 20", "2 20 2 22", "2 21 2 20", "2 21 2 22",
               "NULL 30 NULL 31", "4 40 4 4", "NULL NULL 3 30"});
}
TEST(JoinRelation, FullWithoutKeysKeepsTheRowsThatNoPairTook) {
  expect_join(JoinType::full, {}, Relations::Comparison{Op::equal, 1, 3},
              {"1 10 NULL NULL", "2 20 2 20", "2 21 NULL NULL", "NULL 30 3 30", "4 40 NULL NULL",
               "NULL NULL 2 22", "NULL NULL NULL 31", "NULL NULL 4 4"});
}
TEST(JoinRelation, FullOverNoRowsOfASideKeepsTheOther) {
  JoinTables sides;
  expect_rows(
      sides, sides.join(JoinType::full, sides.none, sides.right, by_key),
      {"NULL NULL 2 20", "NULL NULL 2 22", "NULL NULL 3 30", "NULL NULL NULL 31", "NULL NULL 4 4"});
  expect_rows(sides, sides.join(JoinType::full, sides.left, sides.none, by_key),
              {"1 10 NULL NULL", "2 20 NULL NULL", "2 21 NULL NULL", "NULL 30 NULL NULL",
               "4 40 NULL NULL"});
}
TEST(JoinRelation, FullOfTextsHasNullTextsOfTheLeftSide) {
  Relations relations;
  const RelationId left = relations.table({{"a", texts({"x", "y"})}}),
                   right = relations.table({{"b", texts({"y", "z"})}});
  expect_rows(relations, relations.join(JoinType::full, left, right, by_key),
              {"x NULL", "y y", "NULL z"});
}

TEST(JoinRelation, SingleYieldsTheOneRowOrNull) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({1, 2, null})}}),
                   right = relations.table(
                       {{"k", numbers({2, 3, null})}, {"w", numbers({20, 30, 40})}});
  expect_rows(relations, relations.join(JoinType::single, left, right, by_key),
              {"1 NULL NULL", "2 2 20", "NULL NULL NULL"});
  expect_rows(relations, relations.join(JoinType::single, left, right, by_null_safe_key),
              {"1 NULL NULL", "2 2 20", "NULL NULL 40"});
}
TEST(JoinRelation, SingleOverNoRowsIsNull) {
  JoinTables sides;
  expect_rows(sides, sides.join(JoinType::single, sides.left, sides.none, {}),
              {"1 10 NULL NULL", "2 20 NULL NULL", "2 21 NULL NULL", "NULL 30 NULL NULL",
               "4 40 NULL NULL"});
}
TEST(JoinRelation, SingleOverTheRowOfAnAggregateIsThatRow) {
  JoinTables sides;
  Builder rows = sides.builder(sides.none);
  RelationAggregate aggregate;
  aggregate.graph = rows.graph();
  aggregate.aggregates = {{Aggregate::maximum, rows.column(1u), "most", nullptr},
                          {Aggregate::count_rows, 0, "count", nullptr}};
  const RelationId one = Relations::right(sides.graph.aggregate(sides.none, aggregate));
  expect_rows(sides, sides.join(JoinType::single, sides.below(sides.left, 1, 21), one, {}),
              {"1 10 NULL 0", "2 20 NULL 0"});
}
TEST(JoinRelation, SingleWithAResidualCountsThePairsThatItTakes) {
  expect_join(
      JoinType::single, by_key, Relations::Comparison{Op::equal, 1, 3},
      {"1 10 NULL NULL", "2 20 2 20", "2 21 NULL NULL", "NULL 30 NULL NULL", "4 40 NULL NULL"});
}

// Groups by k alone have one partner for each k; groups by k and w may have more.
TEST(JoinRelation, SingleOfGroupsByItsKeysCountsNoPartners) {
  for (const bool by_both : {false, true}) {
    JoinTables sides;
    Builder rows = sides.builder(sides.right);
    RelationAggregate aggregate;
    aggregate.graph = rows.graph();
    aggregate.keys = {{"k", rows.column(0u)}};
    if (by_both) aggregate.keys.push_back({"w", rows.column(1u)});
    aggregate.aggregates = {{Aggregate::maximum, rows.column(1u), "most", nullptr}};
    const RelationId groups = Relations::right(sides.graph.aggregate(sides.right, aggregate));
    const RelationId single = sides.join(JoinType::single, sides.left, groups, by_key);
    Plan plan;
    TAKE(const StepId step, sides.lowered(single, plan));
    bool has_window = false;
    for (StepId id = 0; id <= step; id++) has_window |= plan.step(id).kind == StepKind::window;
    EXPECT_EQ(has_window, by_both);
    if (!by_both)
      expect_rows(sides, single,
                  {"1 10 NULL NULL", "2 20 2 22", "2 21 2 22", "NULL 30 NULL NULL", "4 40 4 4"});
  }
}

// Row 2 21 has two partners.
TEST(JoinRelation, SingleOfASecondPartnerIsAFault) {
  JoinTables sides;
  for (const RelationId single :
       {sides.join(JoinType::single, sides.left, sides.right, by_key),
        sides.join(JoinType::single, sides.left, sides.right, {}),
        sides.join(JoinType::single, sides.left, sides.right, {}, keys_are_less)}) {
    Plan plan;
    TAKE(const StepId step, sides.lowered(single, plan));
    on_each_device([&](Device& device) {
      const auto outcome = run(plan, step, {.device = device.traits().id});
      ASSERT_FALSE(outcome.ok());
      EXPECT_NE(outcome.status().text().find("more than one row"), std::string::npos)
          << outcome.status().text();
    });
  }
}

TEST(JoinRelation, KeysOf128BitsAreComparedWhole) {
  const Int128 large = Int128{1} << 100;
  for (const Type type : {Type{Kind::int128}, Type::decimal(38, 2)}) {
    SCOPED_TRACE(name_of(type));
    Relations relations;
    const RelationId left = relations.table({{"k", wide(type, {large, large + 1, null, -large})},
                                             {"v", numbers({1, 2, 3, 4})}}),
                     right =
                         relations.table({{"k", wide(type, {large + 1, large + 2, null, -large})}});
    const auto values = [&](RelationId joined) {
      Builder rows = relations.builder(joined);
      return Relations::right(
          relations.graph.project(joined, rows.graph(), {{"v", rows.column(1u)}}));
    };
    expect_rows(relations, values(relations.join(JoinType::inner, left, right, by_key)),
                {"2", "4"});
    expect_rows(relations, values(relations.join(JoinType::inner, left, right, by_null_safe_key)),
                {"2", "3", "4"});
    expect_rows(relations, values(relations.join(JoinType::anti, left, right, by_key)), {"1", "3"});
  }
}

TEST(JoinRelation, KeysThatAreSumsAreComparedByValue) {
  Relations relations;
  const RelationId rows =
      relations.table({{"k", numbers({1, 1, 2, 3})}, {"v", numbers({5, 6, 11, null})}});
  const RelationId sums = relations.sums(rows);  // HUGEINT: 11, 11, NULL
  expect_rows(relations, relations.join(JoinType::inner, sums, sums, {{1, 1}}),
              {"1 11 1 11", "1 11 2 11", "2 11 1 11", "2 11 2 11"});
  expect_rows(relations, relations.join(JoinType::full, sums, sums, {{1, 1, true}, {0, 0}}),
              {"1 11 1 11", "2 11 2 11", "3 NULL 3 NULL"});
}

TEST(JoinRelation, ARelationThatSeveralReadIsComputedOnce) {
  JoinTables sides;
  const RelationId shared = sides.sums(sides.left);
  const RelationId joined = sides.join(JoinType::inner, shared, shared, by_key);
  EXPECT_EQ(sides.steps(joined, StepKind::source), 1u);
  EXPECT_EQ(sides.steps(joined, StepKind::group_by), 1u);
  expect_rows(sides, joined, {"1 10 1 10", "2 41 2 41", "4 40 4 40"});
}

TEST(JoinRelation, RowsThatSeveralReadAreKeptWithoutColumnsThatNothingReads) {
  Relations relations;
  const RelationId left = relations.table({{"k", numbers({1, 2})},
                                           {"v", numbers({5, 6})},
                                           {"unread", texts({"a", "b"})}}),
                   right = relations.table({{"k", numbers({1, 2})}});
  const RelationId shared = relations.join(JoinType::inner, left, right, by_key);
  const RelationId result =
      relations.sums(relations.join(JoinType::semi, shared, relations.sums(shared), by_key));
  Plan plan;
  EXPECT_OK(relations.lowered(result, plan));
  for (StepId id = 0; id < plan.size(); id++) {
    if (plan.step(id).kind == StepKind::source) continue;
    for (const Field& field : plan.step(id).schema) EXPECT_NE(field.name, "unread") << id;
  }
  expect_rows(relations, result, {"1 5", "2 6"});
}

}  // namespace
}  // namespace penstock::test
