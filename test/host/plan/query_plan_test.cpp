// Which steps a query's plan has: those that lead to it, however often it was run and whatever else
// goes on from it.
#include <gtest/gtest.h>

#include "penstock/query.hpp"

namespace penstock {
namespace {

struct Row {
  Col<"price", float> price;
};

Table sales() {
  return Table::of({{"id", Column::from(std::vector<std::int64_t>{1, 2})},
                    {"price", Column::from(std::vector<float>{1.5f, 2.5f})}});
}

struct Steps : Query {
  static std::size_t of(const Query& query) { return (query.*&Steps::plan)().size(); }
};

TEST(QueryPlan, UsingAQueryDoesNotGrowItsPlan) {
  const auto rows = from<Row>(sales());
  const auto dear = rows.filter([](auto r) { return r.price > 2.0f; });
  for (int i = 0; i < 2000; i++) ASSERT_TRUE(dear.source(Target::opencl).ok());
  EXPECT_EQ(Steps::of(dear), 2u);
  EXPECT_EQ(Steps::of(dear.finished()), 3u) << "the map to the struct's columns";
}

TEST(QueryPlan, WhatElseGoesOnFromAQueryIsNotInItsPlan) {
  const auto rows = from<Row>(sales());
  for (int i = 0; i < 100; i++)
    static_cast<void>(rows.filter([](auto r) { return r.price > 2.0f; }).count());
  EXPECT_EQ(Steps::of(rows), 1u);
  EXPECT_EQ(Steps::of(rows.count()), 2u);
}

TEST(QueryPlan, AnErrorLeavesTheStepsBeforeIt) {
  struct Misspelt {
    Col<"prize", float> prize;
  };
  const auto query = from<Misspelt>(sales());
  EXPECT_FALSE(query.status().ok());
  EXPECT_EQ(Steps::of(query), 1u);
}

}  // namespace
}  // namespace penstock
