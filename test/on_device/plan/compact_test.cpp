#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

struct Chain {
  Plan plan;
  StepId source = 0, result = 0;
  std::shared_ptr<Graph> graph;
  NodeId predicate = 0;
  std::vector<NodeId> roots;
};

// Keeps rows by a nullable float; yields a column of each width, with and without NULLs, bits, a
// string and an expression.
void build(Chain& chain, const Table& table) {
  chain.source = chain.plan.source(std::make_shared<FixedSchemaSource>(table));
  Builder b(chain.plan.step(chain.source).schema);
  chain.graph = b.graph();
  TAKE(const NodeId x, b.column("f32_null"));
  TAKE(chain.predicate, b.binary(Op::greater, x, b.captured(Scalar::of(0.0f))));
  TAKE(const StepId kept, chain.plan.filter(chain.source, b.graph(), chain.predicate));
  std::vector<Projection> projections;
  for (const char* name :
       {"i8", "u16_null", "i32", "i64_null", "f64", "b", "b_null", "d15_2", "s"}) {
    TAKE(const NodeId column, b.column(name));
    projections.push_back({name, column});
  }
  TAKE(const NodeId twice, b.binary(Op::multiply, x, b.captured(Scalar::of(2.0f))));
  projections.push_back({"twice", twice});
  for (const Projection& p : projections) chain.roots.push_back(p.root);
  TAKE(chain.result, chain.plan.map(kept, b.graph(), projections));
}

void expect_rows(const Chain& chain, const Table& table, const Table& got) {
  const std::vector<std::uint64_t> rows = passing(table, *chain.graph, chain.predicate);
  ASSERT_EQ(got.row_count, rows.size());
  for (std::size_t i = 0; i < rows.size(); i++) {
    std::string wanted;
    for (const Evaluated& value : evaluate(*chain.graph, chain.roots, row_of(table, rows[i])))
      wanted += text_of(value.value) + "|";
    ASSERT_EQ(text_of_row(got, i), wanted) << "result row " << i << ", source row " << rows[i];
  }
}

// One tile is 7680, 4096, 2048 or 1024 rows, whichever variant: sizes stand on both sides of each.
TEST(Compaction, RowsKeepTheirOrderAtEveryTileBoundary) {
  for (const std::uint64_t rows :
       {0u, 1u, 3u, 63u, 64u, 65u, 1023u, 1025u, 4095u, 4096u, 4097u, 7681u, 30000u}) {
    SCOPED_TRACE(rows);
    const Table table = random_table(rows, rows + 1);
    Chain chain;
    build(chain, table);
    on_each_variant(chain.plan, chain.source, chain.result, [&](const RunOptions& options) {
      TAKE(const QueryResult outcome, run(chain.plan, chain.result, options));
      expect_rows(chain, table, outcome.table);
    });
  }
}

TEST(Compaction, ChunksFollowOneAnother) {
  const Table table = random_table(5000, 7);
  Chain chain;
  build(chain, table);
  on_each_variant(chain.plan, chain.source, chain.result, [&](RunOptions options) {
    options.batch_rows = 640;
    TAKE(const QueryResult outcome, run(chain.plan, chain.result, options));
    EXPECT_EQ(outcome.report.chunks, 8u);
    expect_rows(chain, table, outcome.table);
  });
}

TEST(Compaction, ALaterFilterSeesOnlyRowsThatPassedTheFirst) {
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"x", Column::from(std::vector<std::int32_t>{1, 0, 2, 0})}})));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId nonzero, b.binary(Op::not_equal, b.column(0u), b.captured(Scalar::of(0))));
  TAKE(const StepId some, plan.filter(source, b.graph(), nonzero));
  TAKE(const NodeId quotient,
       b.binary(Op::integer_divide, b.captured(Scalar::of(10)), b.column(0u)));
  TAKE(const StepId divided, plan.map(some, b.graph(), {{"q", quotient}}));
  TAKE(const StepId unguarded, plan.map(source, b.graph(), {{"q", quotient}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, divided, {.device = device.traits().id}));
    ASSERT_EQ(outcome.table.row_count, 2u);
    EXPECT_EQ(scalar_at(outcome.table.columns[0], 1).integer, 5);
    const auto failed = run(plan, unguarded, {.device = device.traits().id});
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.status().message().find("zero"), std::string::npos) << failed.status().text();
  });
}

TEST(Compaction, ALimitWithoutOrderStopsReading) {
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"x", Column::from(std::vector<std::int64_t>(100000, 5))}})));
  Builder b(plan.step(source).schema);
  TAKE(const StepId all, plan.map(source, b.graph(), {{"x", b.column(0u)}}));
  TAKE(const StepId few, plan.limit(all, 10, 3));
  on_each_device([&](Device& device) {
    RunOptions options;
    options.device = device.traits().id;
    options.batch_rows = 1024;
    TAKE(const QueryResult outcome, run(plan, few, options));
    EXPECT_EQ(outcome.table.row_count, 10u);
    EXPECT_LT(outcome.report.rows_read, 20000u);
  });
}

TEST(Compaction, ALimitOfEveryRowReadsNoMoreThanItNeeds) {
  const std::vector<std::int64_t> numbers(1000000, 5);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"x", Column::from(numbers)}})));
  Builder b(plan.step(source).schema);
  TAKE(const StepId all, plan.map(source, b.graph(), {{"x", b.column(0u)}}));
  for (const auto& [limit, offset, rows_read] :
       {std::array<std::uint64_t, 3>{10, 3, 64}, {64, 0, 64}, {65, 0, 128}, {0, 0, 0}}) {
    TAKE(const StepId few, plan.limit(all, limit, offset));
    on_each_device([&, rows = limit, wanted = rows_read](Device& device) {
      TAKE(const QueryResult outcome, run(plan, few, {.device = device.traits().id}));
      EXPECT_EQ(outcome.table.row_count, rows);
      EXPECT_EQ(outcome.report.rows_read, wanted);
    });
  }
}

TEST(Compaction, AForcedVariantThatDoesNotFitIsRefusedByName) {
  const Table table = random_table(10, 3);
  Chain chain;
  build(chain, table);
  const auto outcome = run(chain.plan, chain.result, {.variant = "no_such_variant"});
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.status().message().find("no_such_variant"), std::string::npos);
}

}  // namespace
}  // namespace penstock::test
