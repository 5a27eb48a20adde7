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

}  // namespace
}  // namespace penstock
