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

// Values about the ends of 64 bits, NULLs, and numbers to filter by.
Table amounts(std::uint64_t rows) {
  std::vector<std::optional<std::int64_t>> numbers;
  std::vector<Scalar> values;
  const Type type = Type::decimal(38, 2);
  for (std::uint64_t row = 0; row < rows; row++) {
    numbers.push_back(static_cast<std::int64_t>(row * 7919 % 1000) - 500);
    const Int128 value = (static_cast<Int128>(row) - 3) * ((Int128{1} << 63) + 12345);
    values.push_back(row % 5 == 4 ? Scalar::null_of(type) : Scalar::of(type, value));
  }
  return Table::of({{"n", Column::from(numbers)}, {"amount", column_of(type, values)}});
}

// A row's second word may be written to the place of another row, or of another output.
TEST(Wide, EveryVariantWritesValuesToTheirRows) {
  const Table table = amounts(9001);
  Plan plan;
  const StepId rows = plan.source(table_source(table));
  Builder b(plan.step(rows).schema);
  const NodeId n = b.column(0u), amount = b.column(1u);
  TAKE(const NodeId sum, b.binary(Op::add, amount, n));
  TAKE(const NodeId product,
       b.binary(Op::multiply, b.captured(Scalar::of(Type{Kind::int128}, 3)), n));
  TAKE(const NodeId above, b.binary(Op::greater, n, b.literal(Scalar::of(100))));
  TAKE(const StepId kept, plan.filter(rows, b.graph(), above));
  for (const StepId input : {rows, kept}) {
    TAKE(const StepId mapped,
         plan.map(input, b.graph(), {{"sum", sum}, {"n", n}, {"product", product}}));
    std::vector<std::string> expected;
    for (std::uint64_t row = 0; row < table.row_count; row++) {
      const std::vector<NodeId> roots = {sum, n, product, above};
      const auto values = evaluate(*b.graph(), roots, row_of(table, row));
      if (input == kept && values[3].value.integer == 0) continue;
      expected.push_back(text_of(values[0].value) + "|" + text_of(values[1].value) + "|" +
                         text_of(values[2].value) + "|");
    }
    on_each_variant(plan, rows, mapped, [&](const RunOptions& options) {
      TAKE(const QueryResult outcome, run(plan, mapped, options));
      EXPECT_EQ(texts(outcome.table), expected) << options.device;
    });
  }
}

// A lookup that finds no row has no value to load.
TEST(Wide, ALookupLoadsBothWordsOfTheRowFound) {
  Sums t;
  Plan& plan = t.plan;
  const std::vector<std::optional<std::int32_t>> keys = {3, 5, 1, std::nullopt, 0};
  const StepId left = plan.source(table_source(Table::of({{"l", Column::from(keys)}})));
  TAKE(const StepId joined, plan.join(left, t.grouped, JoinKind::left, {{0, 0}}));
  Builder b(plan.step(joined).schema);
  TAKE(const NodeId twice, b.binary(Op::add, b.column(2u), b.column(2u)));
  TAKE(const StepId mapped, plan.map(joined, b.graph(), {{"l", b.column(0u)}, {"twice", twice}}));
  expect_rows(plan, mapped, {"3|18446744073709551616|", "5|NULL|", "1|14|", "NULL|NULL|", "0|-2|"});
}

TEST(Wide, AValueBeyondItsDigitsIsAnError) {
  const Type type = Type::decimal(38, 0);
  Int128 most = 1;
  for (int i = 0; i < 38; i++) most *= 10;
  Plan plan;
  const StepId rows = plan.source(table_source(
      Table::of({{"d", column_of(type, std::vector<Scalar>(3, Scalar::of(type, most - 1)))}})));
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId sum, b.binary(Op::add, b.column(0u), b.column(0u)));
  TAKE(const StepId mapped, plan.map(rows, b.graph(), {{"sum", sum}}));
  on_each_device([&](Device& device) {
    const auto outcome = run(plan, mapped, {.device = device.traits().id});
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.status().code(), Code::overflow);
    EXPECT_NE(outcome.status().text().find("(d + d) is outside DECIMAL(38,0)"), std::string::npos)
        << outcome.status().text();
  });
}

// More scalars than arguments are words of one buffer, of which these take two.
TEST(Wide, ManyScalarsOf128BitsAreReadInTheirOrder) {
  const Table table = amounts(300);
  Plan plan;
  const StepId rows = plan.source(table_source(table));
  Builder b(plan.step(rows).schema);
  NodeId sum = b.column(1u);
  for (int i = 0; i < 70; i++) {
    const Type type = i % 3 == 0 ? Type{Kind::int64} : Type::decimal(30, 2);
    const Int128 value = i % 3 == 0 ? Int128{i} : (Int128{i} << 66) + i;
    TAKE(sum, b.binary(Op::add, sum, b.captured(Scalar::of(type, value))));
  }
  TAKE(const StepId mapped, plan.map(rows, b.graph(), {{"sum", sum}}));
  std::vector<std::string> expected;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    expected.push_back(
        text_of(evaluate(*b.graph(), std::span(&sum, 1), row_of(table, row))[0].value) + "|");
  expect_rows(plan, mapped, expected);
}

// The host computes such aggregates: what reaches the emitter nevertheless is refused by name.
TEST(Wide, KernelsRefuseTheirSums) {
  Sums t;
  Builder b(t.plan.step(t.grouped).schema);
  TAKE(const StepId total,
       t.plan.reduce(t.grouped, b.graph(), {{Aggregate::sum, b.column(1u), "sum", nullptr}}));
  TAKE(const plan::TileProgram program, plan::fuse(t.plan, t.grouped, total));
  const auto text = plan::emit_pipeline(program, "reduce", {}, Target::opencl);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.status().text().find("kernels do not aggregate HUGEINT"), std::string::npos)
      << text.status().text();
}

}  // namespace
}  // namespace penstock::test
