// ASOF joins: the nearest right row of each left row.
#include <gtest/gtest.h>

#include "on_device/relation/relation_fixture.hpp"
#include "relation/as_of_join.hpp"

namespace penstock::test {
namespace {

// Keys 1 and 2, and NULL; times that are equal to the other side's, between them, and NULL.
struct Quotes : Relations {
  RelationId trades = table(
      {{"k", numbers({1, 1, 1, 2, 2, null, 1})}, {"t", numbers({5, 10, 12, 10, 1, 10, null})}});
  RelationId quotes = table({{"k", numbers({1, 1, 2, 2, null, 1})},
                             {"t", numbers({10, 7, 10, 20, 3, null})},
                             {"p", numbers({110, 107, 210, 220, 3, 9})}});

  RelationId nearest(JoinType type, Op comparison) {
    return right(relation::as_of_join(graph, trades, quotes, {type, by_key, 1, 1, comparison}));
  }
};

void expect_nearest(JoinType type, Op comparison, const Rows& wanted) {
  Quotes tables;
  expect_rows(tables, tables.nearest(type, comparison), wanted);
}

TEST(AsOfRelation, AtOrBeforeTakesTheRowOfAnEqualTime) {
  expect_nearest(JoinType::inner, Op::greater_equal,
                 {"1 10 1 10 110", "1 12 1 10 110", "2 10 2 10 210"});
}
TEST(AsOfRelation, BeforeLeavesTheRowOfAnEqualTime) {
  expect_nearest(JoinType::inner, Op::greater, {"1 10 1 7 107", "1 12 1 10 110"});
}
TEST(AsOfRelation, AtOrBehindTakesTheNextRow) {
  expect_nearest(JoinType::inner, Op::less_equal,
                 {"1 5 1 7 107", "1 10 1 10 110", "2 10 2 10 210", "2 1 2 10 210"});
}
TEST(AsOfRelation, BehindLeavesTheRowOfAnEqualTime) {
  expect_nearest(JoinType::inner, Op::less, {"1 5 1 7 107", "2 10 2 20 220", "2 1 2 10 210"});
}
TEST(AsOfRelation, LeftKeepsRowsOfNullKeysAndNullTimes) {
  expect_nearest(JoinType::left, Op::greater_equal,
                 {"1 5 NULL NULL NULL", "1 10 1 10 110", "1 12 1 10 110", "2 10 2 10 210",
                  "2 1 NULL NULL NULL", "NULL 10 NULL NULL NULL", "1 NULL NULL NULL NULL"});
}
TEST(AsOfRelation, ANullSafeKeyJoinsNulls) {
  Quotes tables;
  const RelationId rows = Relations::right(
      relation::as_of_join(tables.graph, tables.trades, tables.quotes,
                           {JoinType::inner, {{0, 0, true}}, 1, 1, Op::greater_equal}));
  expect_rows(tables, rows,
              {"1 10 1 10 110", "1 12 1 10 110", "2 10 2 10 210", "NULL 10 NULL 3 3"});
}
TEST(AsOfRelation, WithoutKeysAllRowsAreOneOrder) {
  Quotes tables;
  const RelationId rows = Relations::right(relation::as_of_join(
      tables.graph, tables.trades, tables.quotes, {JoinType::inner, {}, 1, 1, Op::less}));
  expect_rows(tables, rows,
              {"1 5 1 7 107", "1 10 2 20 220", "1 12 2 20 220", "2 10 2 20 220", "2 1 NULL 3 3",
               "NULL 10 2 20 220"});
}
TEST(AsOfRelation, AJoinOfAnotherKindIsRefused) {
  Quotes tables;
  const auto rows = relation::as_of_join(tables.graph, tables.trades, tables.quotes,
                                         {JoinType::full, by_key, 1, 1, Op::greater});
  EXPECT_EQ(rows.status().code(), Code::unsupported);
}

}  // namespace
}  // namespace penstock::test
