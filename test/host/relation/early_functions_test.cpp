// Which functions of texts are computed where the texts are read.
#include "relation/early_functions.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

// SELECT substring(text, 1, 2), count(*) FROM facts JOIN table USING (k) GROUP BY 1, with what a
// test changes of it.
struct FunctionsAboveJoin {
  std::size_t rows_of_table = 1 << 16;
  bool reads_text = false, calls_another = false, is_limited = false, is_joined = true,
       is_filtered = false;
  std::string_view function = "lower", other = "upper";

  RelationId of(RelationGraph& graph, const Result<RelationId>& relation) const {
    EXPECT_TRUE(relation.ok()) << relation.status().text();
    return relation.ok() ? *relation : static_cast<RelationId>(graph.size() - 1);
  }
  relation::Pruned relations() const {
    RelationGraph graph;
    const auto table = [&](const char* name, std::size_t rows) {
      return graph.scan(table_source(
          Table::of({{"k", Column::from(std::vector<std::int32_t>(rows, 1))},
                     {"text", Column::from_strings(std::vector<std::string>(rows, "T"))}}),
          name));
    };
    RelationId rows = table("table", rows_of_table);
    if (is_filtered) {
      Builder condition(graph.at(rows).schema);
      const NodeId lower = *condition.string_function(function, {condition.column(1u)});
      const NodeId is_t = *condition.binary(
          Op::equal, lower, condition.literal(Scalar::of(Type{Kind::string}, std::string("t"))));
      rows = of(graph, graph.filter(rows, condition.graph(), is_t));
    }
    if (is_joined) rows = of(graph, graph.join(table("facts", 3), rows, {.keys = {{0, 0}}}));
    const std::uint32_t text = is_joined ? 3 : 1;
    if (is_limited) rows = of(graph, graph.limit(rows, 10));
    Builder builder(graph.at(rows).schema);
    RelationAggregate groups;
    groups.keys = {{"f", *builder.string_function(function, {builder.column(text)})}};
    if (reads_text) groups.keys.push_back({"text", builder.column(text)});
    if (calls_another)
      groups.keys.push_back({"g", *builder.string_function(other, {builder.column(text)})});
    groups.aggregates = {{Aggregate::count_rows, 0, "count", nullptr}};
    groups.graph = builder.graph();
    auto pruned = relation::prune(graph, of(graph, graph.aggregate(rows, groups)));
    EXPECT_TRUE(pruned.ok()) << pruned.status().text();
    return *std::move(pruned);
  }
  // Returns the tree with the functions computed early; "" where there are none.
  std::string early() const {
    const auto found = relation::with_early_functions(relations());
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() && *found ? describe((*found)->relations, (*found)->result) : "";
  }
};

TEST(EarlyFunctions, AreComputedBelowTheJoin) {
  const std::string text = FunctionsAboveJoin().early();
  EXPECT_LT(text.find("join"), text.find("lower(text)")) << text;
  EXPECT_EQ(text.find("lower(text)"), text.rfind("lower(text)")) << text;
}
TEST(EarlyFunctions, AConditionOnTheSameFunctionReadsItsResult) {
  const std::string text = FunctionsAboveJoin{.is_filtered = true}.early();
  EXPECT_LT(text.find("filter"), text.find("lower(text)")) << text;
  EXPECT_EQ(text.find("lower(text)"), text.rfind("lower(text)")) << text;
}
TEST(EarlyFunctions, ATextThatIsReadItselfIsHandedOn) {
  EXPECT_EQ((FunctionsAboveJoin{.reads_text = true}).early(), "");
}
TEST(EarlyFunctions, TwoFunctionsOfATextAreComputedWhereTheyAreRead) {
  EXPECT_EQ((FunctionsAboveJoin{.calls_another = true}).early(), "");
}
TEST(EarlyFunctions, TheSameFunctionTwiceIsOne) {
  EXPECT_NE((FunctionsAboveJoin{.calls_another = true, .other = "lower"}).early(), "");
}
TEST(EarlyFunctions, AFunctionOfTheFirstRowsIsNotComputedOfAll) {
  EXPECT_EQ((FunctionsAboveJoin{.is_limited = true}).early(), "");
}
TEST(EarlyFunctions, WithoutAJoinTheKernelThatReadsTheTextComputesIt) {
  EXPECT_EQ((FunctionsAboveJoin{.is_joined = false}).early(), "");
}
TEST(EarlyFunctions, AFunctionOfASmallTableStaysWhereItIs) {
  EXPECT_EQ((FunctionsAboveJoin{.rows_of_table = (1 << 16) - 1}).early(), "");
}

}  // namespace
}  // namespace penstock
