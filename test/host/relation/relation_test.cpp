// Relations that cannot be: the relation, and why. Trees of relations as text.
#include <gtest/gtest.h>

#include "penstock/relation.hpp"

namespace penstock {
namespace {

struct Sides {
  RelationGraph graph;
  RelationId left, right;
  Sides() {
    const std::vector<std::int32_t> numbers{1, 2};
    const std::vector<std::string> texts{"a", "b"};
    left = graph.scan(table_source(
        Table::of({{"number", Column::from(numbers)}, {"text", Column::from_strings(texts)}}),
        "left"));
    right = graph.scan(table_source(
        Table::of({{"wide", Column::from(std::vector<std::int64_t>{1, 2})}}), "right"));
  }
  Builder rows() const { return Builder(graph.at(left).schema); }
};

std::string refusal(const Result<RelationId>& relation) {
  return relation.ok() ? "accepted" : relation.status().message();
}

TEST(Relation, IdsOfNoRelationAreRefused) {
  Sides sides;
  Builder rows = sides.rows();
  const RelationId unknown = 17;
  const NodeId truth = rows.literal(Scalar::of(true));
  EXPECT_EQ(refusal(sides.graph.filter(unknown, rows.graph(), truth)),
            "filter: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.project(unknown, rows.graph(), {{"x", truth}})),
            "project: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.join(sides.left, unknown, {})),
            "join: an input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.join(unknown, sides.left, {})),
            "join: an input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.aggregate(unknown, {})),
            "aggregate: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.distinct(unknown)), "distinct: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.window(unknown, {})), "window: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.sort(unknown, {})), "sort: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.limit(unknown, 1)), "limit: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.append({sides.left, unknown})),
            "append: its input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.intersect(sides.left, unknown, true)),
            "intersect: an input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.except(unknown, sides.left, false)),
            "except: an input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.unnest(unknown, {})), "unnest: its input is not of this graph");
}

TEST(Relation, ARefusalLeavesTheGraphAsItWas) {
  Sides sides;
  const std::size_t before = sides.graph.size();
  EXPECT_NE(refusal(sides.graph.intersect(sides.left, sides.right, true)), "accepted");
  EXPECT_NE(refusal(sides.graph.join(sides.left, sides.right, {JoinType::inner, {{0, 0}}})),
            "accepted");
  EXPECT_EQ(sides.graph.size(), before);
}

TEST(Relation, AResultOfNoRelationIsNotLowered) {
  Sides sides;
  Plan plan;
  const auto step = lower(sides.graph, 17, plan);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.status().message(), "the result is not a relation of this graph");
}

TEST(Relation, KeysOfNoColumnOrOfTwoTypesAreRefused) {
  Sides sides;
  const auto join = [&](std::vector<RelationKey> keys) {
    return refusal(sides.graph.join(sides.left, sides.right, {JoinType::semi, std::move(keys)}));
  };
  EXPECT_EQ(join({{2, 0}}), "join: there is no column of that number");
  EXPECT_EQ(join({{0, 1}}), "join: there is no column of that number");
  EXPECT_EQ(join({{0, 0}}), "join: keys of INTEGER and BIGINT") << "every cast is explicit";
  EXPECT_EQ(join({{1, 0}}), "join: keys of VARCHAR and BIGINT");
}

TEST(Relation, NotInTakesOneKeyAlone) {
  Sides sides;
  RelationJoin join{JoinType::not_in, {{0, 0}, {1, 1}}};
  EXPECT_EQ(refusal(sides.graph.join(sides.left, sides.left, join)),
            "join: not in takes one key and no condition");
  EXPECT_EQ(refusal(sides.graph.join(sides.left, sides.left, {JoinType::not_in, {{0, 0}}})),
            "accepted");
}

TEST(Relation, ConditionsAreBooleansOverTheRows) {
  Sides sides;
  Builder rows = sides.rows();
  EXPECT_EQ(refusal(sides.graph.filter(sides.left, rows.graph(), rows.column(0u))),
            "filter: the predicate is INTEGER, not BOOLEAN");
  RelationJoin join;
  join.graph = rows.graph();
  join.residual = rows.column(0u);
  EXPECT_EQ(refusal(sides.graph.join(sides.left, sides.right, join)),
            "filter: the predicate is INTEGER, not BOOLEAN");
  EXPECT_NE(refusal(sides.graph.filter(sides.right, rows.graph(),
                                       *rows.unary(Op::is_null, rows.column(1u)))),
            "accepted")
      << "the graph is over two columns, the rows have one";
}

TEST(Relation, AConditionWithoutAGraphIsRefused) {
  Sides sides;
  RelationJoin join;
  join.residual = 0;
  EXPECT_NE(refusal(sides.graph.join(sides.left, sides.right, join)), "accepted");
  EXPECT_NE(refusal(sides.graph.filter(sides.left, nullptr, 0)), "accepted");
  EXPECT_NE(refusal(sides.graph.project(sides.left, nullptr, {{"x", 0}})), "accepted");
}

TEST(Relation, SetsAndGroupingsNameKeysThatAreThere) {
  Sides sides;
  Builder rows = sides.rows();
  RelationAggregate aggregate;
  aggregate.graph = rows.graph();
  aggregate.keys = {{"number", rows.column(0u)}, {"text", rows.column(1u)}};
  EXPECT_EQ(refusal(sides.graph.aggregate(sides.left, {})),
            "aggregate: it has neither keys nor aggregates");
  aggregate.sets = {{0, 1}, {2}};
  EXPECT_EQ(refusal(sides.graph.aggregate(sides.left, aggregate)), "aggregate: there is no key 2");
  aggregate.sets = {{0}};
  aggregate.groupings = {{3}};
  EXPECT_EQ(refusal(sides.graph.aggregate(sides.left, aggregate)), "aggregate: there is no key 3");
}

TEST(Relation, AggregatesAreCheckedAsAStepsAre) {
  Sides sides;
  Builder rows = sides.rows();
  RelationAggregate aggregate;
  aggregate.graph = rows.graph();
  aggregate.aggregates = {{Aggregate::sum, rows.column(1u), "sum", nullptr}};
  EXPECT_NE(refusal(sides.graph.aggregate(sides.left, aggregate)).find("VARCHAR"),
            std::string::npos);
}

TEST(Relation, RowsOfOtherTypesAreNoSetOfOneKind) {
  Sides sides;
  EXPECT_EQ(refusal(sides.graph.append({})), "append: it has no inputs");
  EXPECT_EQ(refusal(sides.graph.append({sides.left, sides.right})),
            "append: inputs of 2 and 1 columns");
  Builder rows = sides.rows();
  const auto number = sides.graph.project(sides.left, rows.graph(), {{"n", rows.column(0u)}});
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(refusal(sides.graph.append({*number, sides.right})),
            "append: column 'n' is INTEGER and BIGINT");
  EXPECT_EQ(refusal(sides.graph.intersect(*number, sides.right, false)),
            "append: column 'n' is INTEGER and BIGINT");
  EXPECT_EQ(refusal(sides.graph.except(*number, sides.right, true)),
            "append: column 'n' is INTEGER and BIGINT");
}

TEST(Relation, OrdersAndWindowsNameColumnsThatAreThere) {
  Sides sides;
  EXPECT_NE(refusal(sides.graph.sort(sides.left, {{2, false, false}})), "accepted");
  Window window;
  window.partition = {5};
  window.calls = {{WindowFunction::row_number, 0, WindowFrame::rows, 1, "n", {}}};
  EXPECT_NE(refusal(sides.graph.window(sides.left, window)), "accepted");
}

// Rows with a list of texts, a map and a number.
struct Lists {
  RelationGraph graph;
  RelationId rows;
  Lists() {
    const Type types[] = {list_of({Kind::string}), map_of({Kind::int32}, {Kind::float64})};
    Table table;
    table.row_count = 1;
    for (const Type type : types) {
      table.names.push_back("column");
      table.columns.push_back(column_of(type, std::vector{Scalar::null_of(type)}));
    }
    table.names.push_back("number");
    table.columns.push_back(Column::from(std::vector<std::int32_t>{1}));
    rows = graph.scan(table_source(std::move(table), "lists"));
  }
};

TEST(Relation, UnnestTakesListsThatAreThere) {
  Lists lists;
  EXPECT_EQ(refusal(lists.graph.unnest(lists.rows, {})), "unnest: it has no lists");
  EXPECT_EQ(refusal(lists.graph.unnest(lists.rows, {{}, {3}})), "unnest: there is no column 3");
  EXPECT_EQ(refusal(lists.graph.unnest(lists.rows, {{9}, {0}})), "unnest: there is no column 9");
  EXPECT_EQ(refusal(lists.graph.unnest(lists.rows, {{}, {2}})),
            "unnest: column 'number' is INTEGER, not a list");
}

TEST(Relation, UnnestYieldsKeptColumnsThenElementsThenTheirPlace) {
  Lists lists;
  const auto id = lists.graph.unnest(lists.rows, {{2}, {0, 1}, true});
  ASSERT_TRUE(id.ok()) << id.status().text();
  const Schema& schema = lists.graph.at(*id).schema;
  ASSERT_EQ(schema.size(), 4u);
  EXPECT_EQ(schema[0].type, Type{Kind::int32});
  EXPECT_EQ(schema[1].type, Type{Kind::string});
  EXPECT_EQ(name_of(schema[2].type), "STRUCT(\"key\" INTEGER, \"value\" DOUBLE)");
  EXPECT_EQ(schema[3].type, Type{Kind::int64});
  EXPECT_TRUE(schema[1].nullable && schema[2].nullable && !schema[3].nullable);
  EXPECT_NE(describe(lists.graph, *id).find("unnest #1: column, column with numbers"),
            std::string::npos);
}

TEST(Relation, UnnestReadsNoColumnThatNothingReads) {
  Lists lists;
  const auto id = lists.graph.unnest(lists.rows, {{0, 1, 2}, {0}});
  ASSERT_TRUE(id.ok());
  Builder rows(lists.graph.at(*id).schema);
  const auto kept = lists.graph.project(*id, rows.graph(), {{"element", rows.column(3)}});
  ASSERT_TRUE(kept.ok());
  Plan plan;
  const auto step = lower(lists.graph, *kept, plan);
  ASSERT_TRUE(step.ok()) << step.status().text();
  StepId unnest = no_step;
  for (StepId at = 0; at < plan.size(); at++)
    if (plan.step(at).kind == StepKind::unnest) unnest = at;
  ASSERT_NE(unnest, no_step);
  EXPECT_TRUE(plan.step(unnest).unnesting.kept.empty());
}

TEST(Relation, ColumnsWithoutAPartnerMayBeNull) {
  Sides sides;
  const auto nullable = [&](JoinType type) {
    const auto joined = sides.graph.join(sides.left, sides.right, {type, {}});
    std::string text;
    if (joined.ok())
      for (const Field& field : sides.graph.at(*joined).schema)
        text += field.name + (field.nullable ? "? " : " ");
    return text;
  };
  EXPECT_EQ(nullable(JoinType::inner), "number text wide ");
  EXPECT_EQ(nullable(JoinType::left), "number text wide? ");
  EXPECT_EQ(nullable(JoinType::single), "number text wide? ");
  EXPECT_EQ(nullable(JoinType::full), "number? text? wide? ");
  EXPECT_EQ(nullable(JoinType::semi), "number text ");
  EXPECT_EQ(nullable(JoinType::anti), "number text ");
  EXPECT_EQ(nullable(JoinType::mark), "number text mark? ");
}

TEST(Relation, KeysThatASetLacksMayBeNull) {
  Sides sides;
  Builder rows = sides.rows();
  RelationAggregate aggregate;
  aggregate.graph = rows.graph();
  aggregate.keys = {{"number", rows.column(0u)}, {"text", rows.column(1u)}};
  aggregate.sets = {{0, 1}, {0}};
  aggregate.groupings = {{0, 1}};
  const auto grouped = sides.graph.aggregate(sides.left, aggregate);
  ASSERT_TRUE(grouped.ok()) << grouped.status().text();
  const Schema& schema = sides.graph.at(*grouped).schema;
  ASSERT_EQ(schema.size(), 3u);
  EXPECT_FALSE(schema[0].nullable);
  EXPECT_TRUE(schema[1].nullable);
  EXPECT_EQ(name_of(schema[2].type), "BIGINT");
}

TEST(Relation, ATreeIsALineForEachAndNamesASharedOneOnce) {
  Sides sides;
  Builder rows = sides.rows();
  const NodeId large =
      *rows.binary(Op::greater, rows.column(0u), rows.literal(Scalar::of(std::int32_t{1})));
  const auto kept = sides.graph.filter(sides.left, rows.graph(), large);
  ASSERT_TRUE(kept.ok());
  const auto joined = sides.graph.join(*kept, *kept, {JoinType::left, {{0, 0, true}, {1, 1}}});
  ASSERT_TRUE(joined.ok());
  const auto pairs = sides.graph.join(*joined, sides.right, {});
  ASSERT_TRUE(pairs.ok());
  const auto few = sides.graph.limit(*pairs, 3, 2);
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(describe(sides.graph, *few),
            "  limit #5: 3 offset 2\n"
            "    join #4: inner, all pairs\n"
            "      join #3: left on number is not distinct from number, text = text\n"
            "        filter #2: (number > 1)\n"
            "          scan #0: left\n"
            "        filter #2 again\n"
            "      scan #1: right\n");
}

TEST(Relation, RecursionsAreOfAWorkingTableAndOfOneSchema) {
  Sides sides;
  const RelationId working = sides.graph.working_table(sides.graph.at(sides.left).schema);
  EXPECT_EQ(refusal(sides.graph.recursion(sides.left, sides.left, sides.left, true)),
            "recursion: its first relation is not a working table of this graph");
  EXPECT_EQ(refusal(sides.graph.recursion(working, sides.left, 17, true)),
            "recursion: an input is not of this graph");
  EXPECT_EQ(refusal(sides.graph.recursion(working, sides.left, sides.right, true)),
            "append: inputs of 2 and 1 columns");
  EXPECT_EQ(refusal(sides.graph.recursion(working, sides.left, working, false)), "accepted");
}

TEST(Relation, AWorkingTableIsNotReadOutsideOfItsStep) {
  Sides sides;
  const RelationId working = sides.graph.working_table(sides.graph.at(sides.left).schema);
  Plan plan;
  const auto step = lower(sides.graph, working, plan);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.status().message(), "a working table is read outside of its recursion's step");
}

}  // namespace
}  // namespace penstock
