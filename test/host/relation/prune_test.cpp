// Columns, calls and joins that pruning leaves out.
#include "relation/prune.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

AggregateCall maximum(NodeId argument, std::string name) {
  AggregateCall call;
  call.function = Aggregate::maximum;
  call.argument = argument;
  call.name = std::move(name);
  return call;
}

// Groups of rows that are joined to the row of `total`: the greatest value of "b" of all rows.
struct GroupsWithTotal {
  RelationGraph graph;
  RelationId groups = 0;

  explicit GroupsWithTotal(std::vector<Projection> keys) {
    const std::vector<std::int32_t> a{1, 1, 2}, b{7, 8, 9};
    const RelationId rows = graph.scan(
        table_source(Table::of({{"a", Column::from(a)}, {"b", Column::from(b)}}), "rows"));
    Builder of_rows(graph.at(rows).schema);
    const RelationId total = *graph.aggregate(
        rows, {.graph = of_rows.graph(), .aggregates = {maximum(of_rows.column(1u), "total")}});
    const RelationId joined = *graph.join(rows, total, {});
    Builder pairs(graph.at(joined).schema);
    if (!keys.empty()) keys[0].root = pairs.column(0u);
    groups = *graph.aggregate(joined, {.graph = pairs.graph(),
                                       .keys = std::move(keys),
                                       .aggregates = {maximum(pairs.column(2u), "of_total")}});
  }

  std::string pruned() const {
    const auto pruned = relation::prune(graph, groups);
    return pruned.ok() ? describe(pruned->relations, pruned->result) : pruned.status().message();
  }
};

TEST(Prune, AValueThatAllGroupsHaveIsJoinedToThem) {
  const std::string text = GroupsWithTotal({{"a", 0}}).pruned();
  EXPECT_LT(text.find("join"), text.find("aggregate")) << text;
}

TEST(Prune, AValueOfNoRowsIsNotThatOfTheOneRow) {
  const std::string text = GroupsWithTotal({}).pruned();
  EXPECT_LT(text.find("aggregate"), text.find("join")) << text;
}

// The distinct values of a column of a join of two tables.
std::string distinct_of_join(bool of_left_value, bool is_distinct) {
  RelationGraph graph;
  const auto rows = [&](const char* name) {
    const std::vector<std::int32_t> key{1, 1, 2}, value{7, 8, 9};
    return graph.scan(table_source(
        Table::of({{"key", Column::from(key)}, {"value", Column::from(value)}}), name));
  };
  const RelationId left = rows("left"), right = rows("right");
  RelationJoin on_keys;
  on_keys.keys = {{0, 0}};
  const RelationId pairs = *graph.join(left, right, on_keys);
  Builder builder(graph.at(pairs).schema);
  const std::uint32_t column = of_left_value ? 1 : 3;
  RelationId result = *graph.project(
      pairs, builder.graph(), {{"key", builder.column(2u)}, {"value", builder.column(column)}});
  if (is_distinct) result = *graph.distinct(result);
  const auto pruned = relation::prune(graph, result);
  return pruned.ok() ? describe(pruned->relations, pruned->result) : pruned.status().message();
}

TEST(Prune, AJoinThatOnlyFindsPartnersIsASemiJoin) {
  EXPECT_NE(distinct_of_join(true, true).find("semi"), std::string::npos);
}

TEST(Prune, AJoinWhosePairsCountStaysAsItIs) {
  EXPECT_EQ(distinct_of_join(true, false).find("semi"), std::string::npos);
  EXPECT_EQ(distinct_of_join(false, true).find("semi"), std::string::npos);
}

// The value of a subquery for rows that find no group is that of no rows.
TEST(Prune, RowsBelowAFilterOfFalseAreNotMade) {
  for (const bool holds : {false, true}) {
    RelationGraph graph;
    const RelationId rows = graph.scan(
        table_source(Table::of({{"a", Column::from(std::vector<std::int32_t>{1})}}), "rows"));
    const RelationId pairs = *graph.join(rows, rows, {});
    Builder builder(graph.at(pairs).schema);
    const NodeId condition = builder.literal(Scalar::of(Type{Kind::boolean}, Int128{holds}));
    const auto pruned = relation::prune(graph, *graph.filter(pairs, builder.graph(), condition));
    ASSERT_TRUE(pruned.ok());
    const std::string text = describe(pruned->relations, pruned->result);
    EXPECT_EQ(text.find("join") != text.npos, holds) << text;
  }
}

}  // namespace
}  // namespace penstock
