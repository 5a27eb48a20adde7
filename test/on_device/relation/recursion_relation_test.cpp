// Recursions: a base, and a step over the rows of the step before until it yields none.
#include <gtest/gtest.h>

#include "on_device/relation/relation_fixture.hpp"

namespace penstock::test {
namespace {

struct Recursions : Relations {
  RelationId working_table(RelationId base) { return graph.working_table(graph.at(base).schema); }
  RelationId recursion(RelationId working, RelationId base, RelationId step, bool all) {
    return right(graph.recursion(working, base, step, all));
  }
  // Adds a number to the first column.
  RelationId plus(RelationId input, std::int32_t number) {
    Builder rows = builder(input);
    const NodeId sum = *rows.binary(Op::add, rows.column(0u), rows.literal(Scalar::of(number)));
    return right(graph.project(input, rows.graph(), {{"n", *rows.cast(sum, {Kind::int32})}}));
  }
  // Keeps one column.
  RelationId column(RelationId input, std::uint32_t column) {
    Builder rows = builder(input);
    return right(graph.project(input, rows.graph(), {{"n", rows.column(column)}}));
  }
  // Rows from those of `base` on along edges of two columns.
  RelationId reached(RelationId base, RelationId edges, bool all) {
    const RelationId working = working_table(base);
    const RelationId step = column(join(JoinType::inner, working, edges, by_key), 2);
    return recursion(working, base, step, all);
  }
  // Counts from a base up to a limit.
  RelationId counted(RelationId base, std::int32_t limit) {
    const RelationId working = working_table(base);
    return recursion(working, base, plus(below(working, 0, limit), 1), true);
  }
};

TEST(Recursion, AStepRunsOverTheRowsOfTheStepBeforeAlone) {
  Recursions relations;
  expect_rows(relations, relations.counted(relations.table({{"n", numbers({1, 3})}}), 4),
              {"1", "2", "3", "3", "4", "4"});
}
TEST(Recursion, ABaseWithoutRowsYieldsNone) {
  Recursions relations;
  const RelationId base = relations.below(relations.table({{"n", numbers({1})}}), 0, 0);
  expect_rows(relations, relations.counted(base, 4), {});
}
TEST(Recursion, RowsThatAreThereAlreadyEndACycle) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({1, 1, null})}}),
                   edges = relations.table(
                       {{"from", numbers({1, 2, 3, null})}, {"to", numbers({2, 3, 1, 9})}});
  expect_rows(relations, relations.reached(base, edges, false), {"1", "2", "3", "NULL"});
}
TEST(Recursion, UnionAllKeepsRowsThatRepeat) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({1})}}),
                   edges = relations.table(
                       {{"from", numbers({1, 1, 2, 3})}, {"to", numbers({2, 3, 4, 4})}});
  expect_rows(relations, relations.reached(base, edges, true), {"1", "2", "3", "4", "4"});
}
TEST(Recursion, StringsPassFromStepToStep) {
  Recursions relations;
  const RelationId base = relations.table({{"n", texts({"a"})}}),
                   edges = relations.table(
                       {{"from", texts({"a", "b", "c"})}, {"to", texts({"b", "c", null})}});
  expect_rows(relations, relations.reached(base, edges, false), {"a", "b", "c", "NULL"});
}
TEST(Recursion, AStepMayYieldNullWhereTheBaseHasNone) {
  Recursions relations;
  const RelationId base = relations.table({{"n", Column::from(std::vector<std::int32_t>{1, 2})}}),
                   edges = relations.table({{"from", numbers({1, 2})}, {"to", numbers({null, 7})}});
  expect_rows(relations, relations.reached(base, edges, true), {"1", "2", "7", "NULL"});
}
TEST(Recursion, AStepThatDoesNotReadItsRowsRunsOnce) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({1, 1})}});
  const RelationId working = relations.working_table(base);
  expect_rows(relations, relations.recursion(working, base, base, true), {"1", "1", "1", "1"});
  expect_rows(relations, relations.recursion(working, base, base, false), {"1"});
}
TEST(Recursion, OneMayReadTheRowsOfTheStepAround) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({1})}});
  const RelationId working = relations.working_table(base);
  // Rows of a step n: n + 10, then n + 11 up to n + 12, below 30.
  const RelationId within = relations.counted(relations.plus(working, 10), 13);
  const RelationId step = relations.below(within, 0, 30);
  expect_rows(relations, relations.recursion(working, base, step, true),
              {"1", "11", "12", "13", "21", "22", "23"});
}
TEST(Recursion, TwoReadersOfOneSeeItsRows) {
  Recursions relations;
  const RelationId count = relations.counted(relations.table({{"n", numbers({1})}}), 3);
  expect_rows(relations, relations.join(JoinType::inner, count, count, by_key),
              {"1 1", "2 2", "3 3"});
}
TEST(Recursion, AFaultOfAStepIsItsError) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({2147483646})}});
  const RelationId working = relations.working_table(base);
  Plan plan;
  TAKE(const StepId step,
       relations.lowered(relations.recursion(working, base, relations.plus(working, 1), true),
                         plan));
  on_each_device([&](Device& device) {
    const auto outcome = run(plan, step, {.device = device.traits().id});
    EXPECT_EQ(outcome.status().code(), Code::overflow) << outcome.status().text();
  });
}
TEST(Recursion, OneWithoutAnEndIsCancelled) {
  Recursions relations;
  const RelationId base = relations.table({{"n", numbers({1})}});
  const RelationId working = relations.working_table(base);
  const RelationId endless =
      relations.recursion(working, base, relations.plus(relations.plus(working, 1), -1), true);
  Plan plan;
  TAKE(const StepId step, relations.lowered(endless, plan));
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id};
    options.progress = [](const Progress& progress) { return progress.rows_done < 5; };
    EXPECT_EQ(run(plan, step, options).status().code(), Code::cancelled);
  });
}
TEST(Recursion, PreparingOneIsRefused) {
  Recursions relations;
  Plan plan;
  TAKE(const StepId step,
       relations.lowered(relations.counted(relations.table({{"n", numbers({1})}}), 3), plan));
  on_each_device([&](Device& device) {
    EXPECT_EQ(prepare(plan, step, {.device = device.traits().id}).status().code(),
              Code::unsupported);
  });
}
TEST(Recursion, TheStepsOfAPlanNameItsPlans) {
  Recursions relations;
  Plan plan;
  TAKE(const StepId step,
       relations.lowered(relations.counted(relations.table({{"n", numbers({1})}}), 3), plan));
  TAKE(const std::string text, explain(plan, step));
  EXPECT_NE(text.find("recursion, first rows:"), std::string::npos) << text;
  EXPECT_NE(text.find("recursion, again until there are no rows:\n    source: rows (n INTEGER?)\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace penstock::test
