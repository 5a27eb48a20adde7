// Statistics as trees of relations: what is sorted and joined for them.
#include "relation/statistics/statistics.hpp"

#include <gtest/gtest.h>

namespace penstock::relation {
namespace {

struct Rows {
  RelationGraph graph;
  RelationId rows;
  Rows() {
    using Numbers = std::vector<std::optional<std::int32_t>>;
    rows = graph.scan(table_source(
        Table::of({{"key", Column::from(std::vector<std::int32_t>{1, 2})},
                   {"whole", Column::from(std::vector<std::int32_t>{3, 4})},
                   {"sparse", Column::from(Numbers{5, std::nullopt})},
                   {"text", Column::from_strings(std::vector<std::string>{"a", "b"})}}),
        "rows"));
  }
  // Returns the relations of a kind among those that the calls need.
  std::vector<const Relation*> of_kind(RelationKind kind, const std::vector<StatisticCall>& calls) {
    Statistics statistics(graph, rows, {0});
    for (const StatisticCall& call : calls) EXPECT_TRUE(statistics.add(call).ok());
    EXPECT_TRUE(statistics.finish_rows().ok());
    std::vector<const Relation*> found;
    for (RelationId id = 0; id < graph.size(); id++)
      if (graph.at(id).kind == kind) found.push_back(&graph.at(id));
    return found;
  }
};

StatisticCall quantile(std::uint32_t column, std::int64_t tenths) {
  return {.function = Statistic::quantile,
          .arguments = {column},
          .share = {tenths, 10, static_cast<double>(tenths) / 10}};
}

TEST(Statistics, SeveralSharesOfAColumnSortItOnce) {
  EXPECT_EQ(
      Rows().of_kind(RelationKind::window, {quantile(1, 1), quantile(1, 5), quantile(1, 9)}).size(),
      1u);
  EXPECT_EQ(Rows().of_kind(RelationKind::window, {quantile(1, 5), quantile(2, 5)}).size(), 2u);
}

TEST(Statistics, RowsWithoutAValueAreAPartitionOfTheirOwn) {
  Rows rows;
  const auto windows = rows.of_kind(RelationKind::window, {quantile(1, 5), quantile(2, 5)});
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0]->window.partition, ColumnList{0}) << "no value of this column is NULL";
  EXPECT_EQ(windows[1]->window.partition.size(), 2u);
}

TEST(Statistics, MeansOfAllMomentsAreJoinedOnce) {
  Rows rows;
  const std::vector<StatisticCall> calls = {
      {.function = Statistic::sample_variance, .arguments = {1}},
      {.function = Statistic::correlation, .arguments = {1, 2}},
      {.function = Statistic::skewness, .arguments = {2}}};
  EXPECT_EQ(rows.of_kind(RelationKind::join, calls).size(), 1u);
}

TEST(Statistics, DistinctValuesAreNumberedBeforeTheyAreRanked) {
  Rows rows;
  StatisticCall call = quantile(1, 5);
  call.distinct = true;
  const auto windows = rows.of_kind(RelationKind::window, {call});
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0]->window.partition, (ColumnList{0, 1}));
  EXPECT_TRUE(windows[0]->window.order.empty());
}

TEST(Statistics, AValueHasTheTypeThatItIsTakenFrom) {
  Rows rows;
  Statistics statistics(rows.graph, rows.rows, {});
  ASSERT_TRUE(statistics.add({.function = Statistic::mode, .arguments = {3}}).ok());
  ASSERT_TRUE(statistics.add(quantile(1, 5)).ok());
  const Result<RelationId> prepared = statistics.finish_rows();
  ASSERT_TRUE(prepared.ok());
  Builder columns(rows.graph.at(*prepared).schema);
  RelationAggregate aggregate;
  aggregate.graph = columns.graph();
  aggregate.aggregates = statistics.calls();
  for (AggregateCall& call : aggregate.aggregates) call.argument = columns.column(call.argument);
  const Result<RelationId> groups = rows.graph.aggregate(*prepared, aggregate);
  ASSERT_TRUE(groups.ok());
  Builder results(rows.graph.at(*groups).schema);
  const Result<NodeId> mode = statistics.value(0, results, 0),
                       median = statistics.value(1, results, 0);
  ASSERT_TRUE(mode.ok());
  ASSERT_TRUE(median.ok());
  EXPECT_EQ(results.type(*mode), Type{Kind::string});
  EXPECT_EQ(results.type(*median), Type{Kind::float64});
}

TEST(Statistics, TextsWithoutAnOrderKeepThatOfTheRows) {
  Rows rows;
  const auto windows =
      rows.of_kind(RelationKind::window,
                   {{.function = Statistic::concatenation, .arguments = {1}, .separator = ", "}});
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0]->window.calls[0].function, WindowFunction::concatenation);
  EXPECT_TRUE(windows[0]->window.order.empty());
}

TEST(Statistics, AListIsJoinedInItsOrderAndHasTheTypeOfItsValues) {
  Rows rows;
  Statistics statistics(rows.graph, rows.rows, {0});
  const StatisticCall call{
      .function = Statistic::list, .arguments = {1}, .order = {{2, true, false}}};
  ASSERT_TRUE(statistics.add(call).ok());
  const auto prepared = statistics.finish_rows();
  ASSERT_TRUE(prepared.ok());
  ASSERT_EQ(statistics.calls().size(), 1u);
  EXPECT_EQ(statistics.calls()[0].function, Aggregate::maximum);
  Builder groups({{"key", {Kind::int32}, true}, {"texts", {Kind::string}, true}});
  const auto list = statistics.value(0, groups, 1);
  ASSERT_TRUE(list.ok()) << list.status().text();
  EXPECT_EQ(groups.type(*list), list_of(rows.graph.at(rows.rows).schema[1].type));
}

}  // namespace
}  // namespace penstock::relation
