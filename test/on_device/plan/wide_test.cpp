// Plans over 128-bit numbers: kernels compute with them, and the host aggregates them.
#include "fuse/codegen/emit_pipeline.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Sums by k: 0 -> -1, 1 -> 7, 2 -> 7, 3 -> 2^63 (two halves), NULL -> NULL.
struct Sums {
  Plan plan;
  StepId grouped = no_step;
  Sums() {
    const std::vector<std::optional<std::int32_t>> keys = {0, 1, 1, 2, 3, 3, std::nullopt};
    const std::vector<std::optional<std::int64_t>> values = {
        -1, 3, 4, 7, std::int64_t{1} << 62, std::int64_t{1} << 62, std::nullopt};
    const StepId rows = plan.source(
        table_source(Table::of({{"k", Column::from(keys)}, {"v", Column::from(values)}})));
    Builder b(plan.step(rows).schema);
    grouped = *plan.group_by(rows, b.graph(), {{"k", b.column(0u)}},
                             {{Aggregate::sum, b.column(1u), "s", nullptr}});
  }
};

std::vector<std::string> texts(const Table& table) {
  std::vector<std::string> rows;
  for (std::uint64_t row = 0; row < table.row_count; row++) rows.push_back(text_of_row(table, row));
  return rows;
}
using WideRows = std::vector<std::string>;

void expect_rows(const Plan& plan, StepId step, const WideRows& expected) {
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, step, {.device = device.traits().id}));
    EXPECT_EQ(texts(outcome.table), expected);
  });
}

TEST(Wide, DistinctSumsAreThoseThatWereAddedUp) {
  Sums t;
  Builder b(t.plan.step(t.grouped).schema);
  TAKE(const StepId distinct, t.plan.group_by(t.grouped, b.graph(), {{"s", b.column(1u)}},
                                              {{Aggregate::count_rows, 0, "n", nullptr}}));
  expect_rows(t.plan, distinct, {"-1|1|", "7|2|", "9223372036854775808|1|", "NULL|1|"});
}

TEST(Wide, AggregatesOfSumsAreExact) {
  Sums t;
  Builder b(t.plan.step(t.grouped).schema);
  const NodeId s = b.column(1u);
  const std::vector<AggregateCall> calls = {{Aggregate::minimum, s, "min", nullptr},
                                            {Aggregate::maximum, s, "max", nullptr},
                                            {Aggregate::sum, s, "sum", nullptr},
                                            {Aggregate::count, s, "n", nullptr},
                                            {Aggregate::average, b.column(0u), "avg", nullptr}};
  TAKE(const StepId total, t.plan.reduce(t.grouped, b.graph(), calls));
  expect_rows(t.plan, total, {"-1|9223372036854775808|9223372036854775821|4|1.5|"});
}

// These steps run on the host, where functions of strings are columns too.
TEST(Wide, GroupsByAFunctionOfStringsHoldSums) {
  const std::vector<std::string> names = {"a", "B", "A", "b"};
  const std::vector<Scalar> sums = {
      Scalar::of(Type{Kind::int128}, Int128{1} << 70), Scalar::of(Type{Kind::int128}, Int128{5}),
      Scalar::of(Type{Kind::int128}, Int128{1}), Scalar::null_of({Kind::int128})};
  Plan plan;
  const Table table =
      Table::of({{"name", Column::from_strings(names)}, {"sum", column_of({Kind::int128}, sums)}});
  const StepId rows = plan.source(table_source(table));
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId upper, b.string_function("upper", {b.column(0u)}));
  TAKE(const StepId grouped, plan.group_by(rows, b.graph(), {{"name", upper}},
                                           {{Aggregate::sum, b.column(1u), "sum", nullptr}}));
  expect_rows(plan, grouped, {"A|1180591620717411303425|", "B|5|"});
}

TEST(Wide, ASumOfSumsBeyond128BitsIsAnError) {
  const Int128 most = static_cast<Int128>(~static_cast<unsigned __int128>(0) >> 1);
  const std::vector<Scalar> values(2, Scalar::of(Type{Kind::int128}, most));
  Plan plan;
  const StepId rows =
      plan.source(table_source(Table::of({{"s", column_of({Kind::int128}, values)}})));
  Builder b(plan.step(rows).schema);
  TAKE(const StepId total,
       plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  EXPECT_EQ(run(plan, total).status().code(), Code::overflow);
}

// An outcome as a table again: columns of 16 bytes pass a filter and a map as they are.
TEST(Wide, AResultUsedAsATableKeepsItsSums) {
  Sums t;
  TAKE(const QueryResult first, run(t.plan, t.grouped));
  Plan plan;
  const StepId rows = plan.source(table_source(first.table));
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId above, b.binary(Op::greater, b.column(0u), b.literal(Scalar::of(0))));
  TAKE(const StepId kept, plan.filter(rows, b.graph(), above));
  expect_rows(plan, kept, {"1|7|", "2|7|", "3|9223372036854775808|"});
  TAKE(const StepId mapped,
       plan.map(kept, b.graph(), {{"total", b.column(1u)}, {"k", b.column(0u)}}));
  expect_rows(plan, mapped, {"7|1|", "7|2|", "9223372036854775808|3|"});
  TAKE(const NodeId real, b.cast(b.column(1u), {Kind::float64}));
  TAKE(const StepId computed, plan.map(kept, b.graph(), {{"real", real}}));
  expect_rows(plan, computed, {"7.0|", "7.0|", "9.223372036854776e+18|"});
}

TEST(Wide, DecimalsOfThirtyEightDigitsGroupByTheirValue) {
  std::vector<Scalar> amounts;
  for (int i = 0; i < 6; i++)
    amounts.push_back(Scalar::of(Type::decimal(38, 2), (static_cast<Int128>(i / 2) << 64) + 5));
  Plan plan;
  const StepId rows =
      plan.source(table_source(Table::of({{"q", column_of(Type::decimal(38, 2), amounts)}})));
  Builder b(plan.step(rows).schema);
  TAKE(const StepId grouped, plan.group_by(rows, b.graph(), {{"q", b.column(0u)}},
                                           {{Aggregate::count_rows, 0, "n", nullptr}}));
  expect_rows(plan, grouped, {"0.05|2|", "184467440737095516.21|2|", "368934881474191032.37|2|"});
}

// The host computes such aggregates: what reaches the emitter nevertheless is refused by name.
TEST(Wide, KernelsRefuseTheirExtremes) {
  Sums t;
  Builder b(t.plan.step(t.grouped).schema);
  TAKE(const StepId total,
       t.plan.reduce(t.grouped, b.graph(), {{Aggregate::minimum, b.column(1u), "min", nullptr}}));
  TAKE(const plan::TileProgram program, plan::fuse(t.plan, t.grouped, total));
  const auto text = plan::emit_pipeline(program, "reduce", {}, Target::opencl);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.status().text().find("kernels do not aggregate HUGEINT"), std::string::npos)
      << text.status().text();
}

}  // namespace
}  // namespace penstock::test
