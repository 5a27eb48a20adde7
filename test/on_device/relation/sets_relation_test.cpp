// Groups by several sets of keys, and operations on sets of rows.
#include <gtest/gtest.h>

#include "on_device/relation/relation_fixture.hpp"

namespace penstock::test {
namespace {

using KeyLists = std::vector<std::vector<std::uint32_t>>;

struct Sales : Relations {
  RelationId rows = table({{"a", numbers({1, 1, 2, null})},
                           {"b", texts({"p", "q", "p", "p"})},
                           {"x", numbers({10, 20, 5, 1})}});
  RelationId no_rows = below(rows, 2, -100);

  // Sums x by sets of a and b.
  RelationId grouped(RelationId input, KeyLists sets, KeyLists groupings = {}) {
    Builder builder = this->builder(input);
    RelationAggregate aggregate;
    aggregate.graph = builder.graph();
    aggregate.keys = {{"a", builder.column(0u)}, {"b", builder.column(1u)}};
    aggregate.aggregates = {{Aggregate::sum, builder.column(2u), "sum", nullptr}};
    aggregate.sets = std::move(sets);
    aggregate.groupings = std::move(groupings);
    return right(graph.aggregate(input, std::move(aggregate)));
  }
};

TEST(GroupingSets, EachSetHasItsGroupsWithNullForTheKeysThatItLacks) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.rows, {{0, 1}, {0}, {}}),
              {"1 p 10", "1 q 20", "2 p 5", "NULL p 1", "1 NULL 30", "2 NULL 5", "NULL NULL 1",
               "NULL NULL 36"});
}
TEST(GroupingSets, GroupingTellsAKeyThatIsNullFromOneThatTheSetLacks) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.rows, {{0}, {1}, {}}, {{0, 1}, {1}}),
              {"1 NULL 30 1 1", "2 NULL 5 1 1", "NULL NULL 1 1 1", "NULL p 16 2 0", "NULL q 20 2 0",
               "NULL NULL 36 3 1"});
}
TEST(GroupingSets, GroupingTakesItsKeysInTheirOrder) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.rows, {{1}}, {{0, 1}, {1, 0}}),
              {"NULL p 16 2 1", "NULL q 20 2 1"});
}
TEST(GroupingSets, TheEmptySetHasARowOverNoRowsAndOthersHaveNone) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.no_rows, {{0, 1}, {0}, {}}, {{0, 1}}),
              {"NULL NULL NULL 3"});
  expect_rows(sales, sales.grouped(sales.no_rows, {{0, 1}, {0}}), {});
}
TEST(GroupingSets, ASetThatIsRepeatedHasItsRowsAgain) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.rows, {{1}, {1}, {}, {}}),
              {"NULL p 16", "NULL q 20", "NULL p 16", "NULL q 20", "NULL NULL 36", "NULL NULL 36"});
}
TEST(GroupingSets, ASetInAnotherOrderHasTheColumnsOfTheKeys) {
  Sales sales;
  expect_rows(sales, sales.grouped(sales.rows, {{1, 0}}),
              {"1 p 10", "1 q 20", "2 p 5", "NULL p 1"});
}
TEST(GroupingSets, KeysWithoutAggregatesAreDistinctValuesBySet) {
  Sales sales;
  Builder builder = sales.builder(sales.rows);
  RelationAggregate aggregate;
  aggregate.graph = builder.graph();
  aggregate.keys = {{"a", builder.column(0u)}, {"b", builder.column(1u)}};
  aggregate.sets = {{1}, {}};
  expect_rows(sales, Relations::right(sales.graph.aggregate(sales.rows, aggregate)),
              {"NULL p", "NULL q", "NULL NULL"});
}
TEST(GroupingSets, CountsOfRowsNeedNoArgument) {
  Sales sales;
  Builder builder = sales.builder(sales.no_rows);
  RelationAggregate aggregate;
  aggregate.graph = builder.graph();
  aggregate.keys = {{"a", builder.column(0u)}};
  aggregate.aggregates = {{Aggregate::count_rows, 0, "count", nullptr}};
  aggregate.sets = {{0}, {}};
  expect_rows(sales, Relations::right(sales.graph.aggregate(sales.no_rows, aggregate)), {"NULL 0"});
}
TEST(GroupingSets, KeysThatNoAggregateReadsMayBeExpressions) {
  Sales sales;
  Builder builder = sales.builder(sales.rows);
  RelationAggregate aggregate;
  const NodeId twice = *builder.binary(Op::add, builder.column(0u), builder.column(0u));
  aggregate.graph = builder.graph();
  aggregate.keys = {{"twice", twice}};
  aggregate.aggregates = {{Aggregate::minimum, builder.column(1u), "least", nullptr}};
  aggregate.sets = {{}, {0}};
  expect_rows(sales, Relations::right(sales.graph.aggregate(sales.rows, aggregate)),
              {"NULL p", "2 p", "4 p", "NULL p"});
}

TEST(SetRelation, DistinctTakesNullsForEqual) {
  Relations relations;
  const RelationId rows = relations.table(
      {{"a", numbers({1, null, 1, null, 1})}, {"b", texts({"x", null, "x", null, null})}});
  expect_rows(relations, Relations::right(relations.graph.distinct(rows)),
              {"1 x", "NULL NULL", "1 NULL"});
}

struct SetTables : Relations {
  RelationId left = table({{"a", numbers({1, 1, 1, 2, null, null})}});
  RelationId other = table({{"a", numbers({1, 1, null, 3, 3})}});
  RelationId none = below(other, 0, -100);
};

TEST(SetRelation, IntersectYieldsEachCommonRowOnce) {
  SetTables sets;
  expect_rows(sets, Relations::right(sets.graph.intersect(sets.left, sets.other, false)),
              {"1", "NULL"});
}
TEST(SetRelation, IntersectAllYieldsTheLesserCount) {
  SetTables sets;
  expect_rows(sets, Relations::right(sets.graph.intersect(sets.left, sets.other, true)),
              {"1", "1", "NULL"});
  expect_rows(sets, Relations::right(sets.graph.intersect(sets.other, sets.left, true)),
              {"1", "1", "NULL"});
}
TEST(SetRelation, ExceptLosesARowHoweverOftenItIsThere) {
  SetTables sets;
  expect_rows(sets, Relations::right(sets.graph.except(sets.left, sets.other, false)), {"2"});
  expect_rows(sets, Relations::right(sets.graph.except(sets.other, sets.left, false)), {"3"});
}
TEST(SetRelation, ExceptAllSubtractsTheCounts) {
  SetTables sets;
  expect_rows(sets, Relations::right(sets.graph.except(sets.left, sets.other, true)),
              {"1", "2", "NULL"});
  expect_rows(sets, Relations::right(sets.graph.except(sets.other, sets.left, true)), {"3", "3"});
}
TEST(SetRelation, NoRowsOnASideLeaveTheOtherOrNothing) {
  SetTables sets;
  expect_rows(sets, Relations::right(sets.graph.intersect(sets.left, sets.none, true)), {});
  expect_rows(sets, Relations::right(sets.graph.except(sets.left, sets.none, false)),
              {"1", "2", "NULL"});
  expect_rows(sets, Relations::right(sets.graph.except(sets.left, sets.none, true)),
              {"1", "1", "1", "2", "NULL", "NULL"});
  expect_rows(sets, Relations::right(sets.graph.except(sets.none, sets.left, true)), {});
}
TEST(SetRelation, RowsOfSeveralColumnsAreEqualInAll) {
  Relations relations;
  const RelationId left = relations.table(
                       {{"a", numbers({1, 1, null})}, {"b", texts({"x", null, "x"})}}),
                   right = relations.table(
                       {{"a", numbers({1, null, 1})}, {"b", texts({null, "x", "y"})}});
  expect_rows(relations, Relations::right(relations.graph.intersect(left, right, false)),
              {"1 NULL", "NULL x"});
  expect_rows(relations, Relations::right(relations.graph.except(left, right, true)), {"1 x"});
}
TEST(SetRelation, RowsWithSumsOf128BitsAreCompared) {
  Relations relations;
  const RelationId rows =
      relations.table({{"k", numbers({1, 1, 2, 3})}, {"v", numbers({5, 6, 11, null})}});
  const RelationId sums = relations.sums(rows);
  const RelationId small = relations.below(sums, 0, 2);
  expect_rows(relations, Relations::right(relations.graph.except(sums, small, false)),
              {"2 11", "3 NULL"});
  expect_rows(relations, Relations::right(relations.graph.intersect(sums, small, true)), {"1 11"});
}

Column with_dictionary(const Texts& words, const std::vector<std::optional<std::int32_t>>& codes) {
  Column column = Column::from(codes);
  column.type = {Kind::string};
  column.dictionary = std::make_shared<const Column>(Column::from_strings(words));
  return column;
}

TEST(AppendRelation, TextsKeepTheirOwnDictionaries) {
  Relations relations;
  const RelationId first = relations.table({{"s", with_dictionary({"x", "y"}, {0, 1, null, 0})}}),
                   second = relations.table({{"s", with_dictionary({"y", "z", "x"}, {0, 1, 2})}}),
                   third = relations.table({{"s", texts({"w", null})}});
  const RelationId all = Relations::right(relations.graph.append({first, second, third}));
  expect_rows(relations, all, {"x", "y", "NULL", "x", "y", "z", "x", "w", "NULL"}, true);
  expect_rows(relations, Relations::right(relations.graph.distinct(all)),
              {"x", "y", "z", "w", "NULL"});
}
TEST(AppendRelation, InputsWithoutRowsAndRepeatedInputsAddWhatTheyHave) {
  Relations relations;
  const RelationId rows = relations.table({{"a", numbers({1, null})}, {"s", texts({"p", "q"})}});
  const RelationId none = relations.below(rows, 0, -100);
  expect_rows(relations, Relations::right(relations.graph.append({none, rows, none, rows})),
              {"1 p", "NULL q", "1 p", "NULL q"}, true);
  expect_rows(relations, Relations::right(relations.graph.append({none, none})), {});
}
TEST(AppendRelation, AColumnThatIsNullableInOneInputMayBeNull) {
  Relations relations;
  const RelationId plain = relations.table({{"a", Column::from(std::vector<std::int32_t>{1, 2})}}),
                   nullable = relations.table({{"a", numbers({null})}});
  const RelationId all = Relations::right(relations.graph.append({plain, nullable}));
  EXPECT_TRUE(relations.graph.at(all).schema[0].nullable);
  expect_rows(relations, all, {"1", "2", "NULL"}, true);
  expect_rows(relations, relations.below(all, 0, 2), {"1"});
}
TEST(AppendRelation, ItsRowsGoOnIntoGroupsAndSorts) {
  Relations relations;
  const RelationId rows = relations.table({{"k", numbers({1, 2})}, {"v", numbers({10, 20})}});
  const RelationId all = Relations::right(relations.graph.append({rows, rows}));
  const RelationId sorted =
      Relations::right(relations.graph.sort(relations.sums(all), {{1, true, false}}));
  expect_rows(relations, sorted, {"2 40", "1 20"}, true);
  expect_rows(relations, Relations::right(relations.graph.limit(sorted, 1, 1)), {"1 20"}, true);
}

}  // namespace
}  // namespace penstock::test
