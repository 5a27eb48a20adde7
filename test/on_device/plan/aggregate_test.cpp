#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Aggregates by exact arithmetic over the scalars; float sums are in double, compared with a bound.
struct Expected {
  Int128 sum = 0;
  double real_sum = 0, magnitude = 0;
  std::uint64_t count = 0;
  std::optional<Scalar> least, greatest;
};

// -0.0 is below 0.0, and NaN above every number.
bool scalar_less(const Scalar& a, const Scalar& b) {
  if (!is_float(a.type)) return a.integer < b.integer;
  if (a.real == b.real) return std::signbit(a.real) && !std::signbit(b.real);
  return a.real < b.real || (std::isnan(b.real) && !std::isnan(a.real));
}

void add(Expected& e, const Scalar& value) {
  if (value.is_null) return;
  e.count++;
  e.sum += value.integer;
  e.real_sum += value.real;
  e.magnitude += std::abs(value.real);
  if (!e.least || scalar_less(value, *e.least)) e.least = value;
  if (!e.greatest || scalar_less(*e.greatest, value)) e.greatest = value;
}

void expect_aggregates(const Table& got, std::uint64_t row, std::size_t first, const Expected& e,
                       Type type) {
  EXPECT_EQ(scalar_at(got.columns[first], row).integer, static_cast<Int128>(e.count));
  const Scalar sum = scalar_at(got.columns[first + 1], row),
               least = scalar_at(got.columns[first + 2], row),
               greatest = scalar_at(got.columns[first + 3], row);
  if (e.count == 0) {
    EXPECT_TRUE(sum.is_null && least.is_null && greatest.is_null);
    return;
  }
  if (!is_float(type)) EXPECT_TRUE(sum.integer == e.sum) << text_of(sum);
  // Any order of n additions is within n * 2^-53 of the sum of magnitudes; NaN and infinities have
  // no such bound.
  else if (std::isfinite(e.magnitude))
    EXPECT_NEAR(sum.real, e.real_sum, static_cast<double>(e.count) * 0x1p-52 * e.magnitude);
  else
    EXPECT_FALSE(std::isfinite(sum.real));
  EXPECT_TRUE(!scalar_less(least, *e.least) && !scalar_less(*e.least, least))
      << text_of(least) << " for " << text_of(*e.least);
  EXPECT_TRUE(!scalar_less(greatest, *e.greatest) && !scalar_less(*e.greatest, greatest))
      << text_of(greatest) << " for " << text_of(*e.greatest);
}

const std::vector<const char*> aggregated = {"i8",       "u8_null",  "i16_null",  "i32", "u32_null",
                                             "i64",      "i64_null", "u64",       "f32", "f32_null",
                                             "f64_null", "d15_2",    "d18_0_null"};

std::vector<AggregateCall> calls_of(Builder& b) {
  std::vector<AggregateCall> calls;
  for (const char* name : aggregated) {
    const NodeId x = *b.column(name);
    calls.push_back({Aggregate::count, x, "n", nullptr});
    calls.push_back({Aggregate::sum, x, "sum", nullptr});
    calls.push_back({Aggregate::minimum, x, "min", nullptr});
    calls.push_back({Aggregate::maximum, x, "max", nullptr});
  }
  return calls;
}

std::size_t index_of(const Schema& schema, const char* name) { return *find_field(schema, name); }

TEST(Reduce, AggregatesOfEveryTypeAreExactAtEveryTileBoundary) {
  for (const std::uint64_t rows : {0u, 1u, 65u, 4097u, 20000u}) {
    SCOPED_TRACE(rows);
    const Table table = random_table(rows, rows + 11);
    Plan plan;
    const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
    Builder b(plan.step(source).schema);
    TAKE(const NodeId i32, b.column("i32_null"));
    TAKE(const NodeId predicate, b.binary(Op::greater, i32, b.captured(Scalar::of(-5))));
    TAKE(const StepId kept, plan.filter(source, b.graph(), predicate));
    TAKE(const StepId reduced, plan.reduce(kept, b.graph(), calls_of(b)));
    std::vector<Expected> expected(aggregated.size());
    for (std::uint64_t row : passing(table, *b.graph(), predicate))
      for (std::size_t i = 0; i < aggregated.size(); i++)
        add(expected[i], scalar_at(table.columns[index_of(b.schema(), aggregated[i])], row));
    on_each_variant(plan, source, reduced, [&](RunOptions options) {
      options.batch_rows = rows > 10000 ? 6400 : 0;
      TAKE(const QueryResult outcome, run(plan, reduced, options));
      for (std::size_t i = 0; i < aggregated.size(); i++) {
        SCOPED_TRACE(aggregated[i]);
        expect_aggregates(outcome.table, 0, 4 * i, expected[i],
                          b.schema()[index_of(b.schema(), aggregated[i])].type);
      }
    });
  }
}

TEST(Reduce, TheSameRunTwiceGivesTheSameBits) {
  const Table table = random_table(20000, 99);
  Plan plan;
  const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
  Builder b(plan.step(source).schema);
  // Random floats hold NaN and infinities; a part of a date does not.
  TAKE(const NodeId day, b.column("i16"));
  TAKE(const NodeId real, b.cast(day, {Kind::float64}));
  TAKE(const NodeId third, b.binary(Op::divide, real, b.captured(Scalar::of(3.0))));
  TAKE(const StepId reduced,
       plan.reduce(source, b.graph(), {{Aggregate::sum, third, "sum", nullptr}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult first, run(plan, reduced, {.device = device.traits().id}));
    TAKE(const QueryResult second, run(plan, reduced, {.device = device.traits().id}));
    EXPECT_EQ(scalar_at(first.table.columns[0], 0).real,
              scalar_at(second.table.columns[0], 0).real);
  });
}

void expect_groups(std::uint64_t rows, const std::vector<const char*>& keys) {
  const Table table = random_table(rows, rows + 5);
  Plan plan;
  const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
  Builder b(plan.step(source).schema);
  std::vector<Projection> projections;
  for (const char* key : keys) projections.push_back({key, *b.column(key)});
  TAKE(const StepId grouped, plan.group_by(source, b.graph(), projections, calls_of(b)));
  std::map<std::string, std::vector<Expected>> expected;
  for (std::uint64_t row = 0; row < rows; row++) {
    std::string key;
    for (const char* name : keys) {
      const std::string text = text_of(scalar_at(table.columns[index_of(b.schema(), name)], row));
      key += (text == "-0.0" ? "0.0" : text) + "|";
    }
    auto& group = expected[key];
    group.resize(aggregated.size());
    for (std::size_t i = 0; i < aggregated.size(); i++)
      add(group[i], scalar_at(table.columns[index_of(b.schema(), aggregated[i])], row));
  }
  on_each_variant(plan, source, grouped, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan, grouped, options));
    ASSERT_EQ(outcome.table.row_count, expected.size());
    for (std::uint64_t row = 0; row < outcome.table.row_count; row++) {
      std::string key;
      for (std::size_t i = 0; i < keys.size(); i++)
        key += text_of(scalar_at(outcome.table.columns[i], row)) + "|";
      SCOPED_TRACE(key);
      ASSERT_TRUE(expected.contains(key));
      for (std::size_t i = 0; i < aggregated.size(); i++)
        expect_aggregates(outcome.table, row, keys.size() + 4 * i, expected[key][i],
                          b.schema()[index_of(b.schema(), aggregated[i])].type);
    }
  });
}

TEST(GroupByKeys, StringAndNullableBooleanKeys) { expect_groups(5000, {"s", "b_null"}); }
TEST(GroupByKeys, FloatKeysJoinNaNsAndZeros) { expect_groups(300, {"f32_null"}); }
// More keys than the first table of a work group holds.
TEST(GroupByKeys, MoreKeysThanATableHoldsRunAgainWithALargerOne) {
  expect_groups(3000, {"i16", "u8"});
}
// Row i has the key i * 7919 modulo `groups` and the value i.
Table scattered_keys(std::uint64_t rows, std::uint64_t groups) {
  std::vector<std::int64_t> key(rows), value(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::int64_t>(i * 7919 % groups);
    value[i] = static_cast<std::int64_t>(i);
  }
  return Table::of({{"key", Column::from(key)}, {"value", Column::from(value)}});
}

StepId sums_by_key(Plan& plan, const Table& table) {
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  return *plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                        {{Aggregate::sum, b.column(1u), "sum", nullptr}});
}

void expect_sums_by_key(const Table& got, const Table& table) {
  std::map<Int128, Int128> sums;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    sums[scalar_at(table.columns[0], row).integer] += scalar_at(table.columns[1], row).integer;
  ASSERT_EQ(got.row_count, sums.size());
  for (std::uint64_t row = 0; row < got.row_count; row++)
    ASSERT_TRUE(scalar_at(got.columns[1], row).integer ==
                sums.at(scalar_at(got.columns[0], row).integer))
        << row;
}

// Tables of a CPU are emptied when they are full, which a memory limit makes soon, and a key then
// comes several times.
TEST(GroupByKeys, AKeyOfSeveralFullTablesIsOneGroup) {
  constexpr std::uint64_t groups = 5000;
  const Table table = scattered_keys(60'000, groups);
  Plan plan;
  const StepId sums = sums_by_key(plan, table);
  on_each_device([&](Device& device) {
    if (!device.traits().wants_single_thread_groups()) return;
    const RunOptions options{
        .device = device.traits().id, .batch_rows = 16384, .memory_limit_bytes = 1 << 20};
    TAKE(const QueryResult outcome, run(plan, sums, options));
    expect_sums_by_key(outcome.table, table);
    constexpr std::uint64_t min_bytes_per_group = 24;
    EXPECT_GT(outcome.report.bytes_downloaded, 4 * groups * min_bytes_per_group);
  });
}

TEST(GroupByKeys, ALaunchOfAPreparedStepAddsNothingToTheNext) {
  const Table table = scattered_keys(10'000, 300);
  Plan plan;
  const StepId sums = sums_by_key(plan, table);
  on_each_device([&](Device& device) {
    TAKE(const auto prepared, prepare(plan, sums, {.device = device.traits().id}));
    for (int i = 0; i < 3; i++) EXPECT_OK(prepared->run_seconds());
    TAKE(const QueryResult outcome, prepared->fetch());
    expect_sums_by_key(outcome.table, table);
  });
}

TEST(GroupByKeys, NoRowsGiveNoGroups) { expect_groups(0, {"s"}); }

TEST(GroupByKeys, WithoutAggregatesYieldsDistinctKeys) {
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"x", Column::from(std::vector<std::int32_t>{3, 1, 3, 2, 1})}})));
  Builder b(plan.step(source).schema);
  TAKE(const StepId grouped, plan.group_by(source, b.graph(), {{"x", b.column(0u)}}, {}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, grouped, {.device = device.traits().id}));
    ASSERT_EQ(outcome.table.row_count, 3u);
    for (std::uint64_t row = 0; row < 3; row++)
      EXPECT_EQ(scalar_at(outcome.table.columns[0], row).integer, static_cast<Int128>(row + 1));
  });
}

TEST(ExecutionOfGroups, AStepWithTwoConsumersRunsOnce) {
  const Table table = random_table(1000, 4);
  Plan plan;
  const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId x, b.column("i32"));
  TAKE(const NodeId positive, b.binary(Op::greater, x, b.captured(Scalar::of(0))));
  TAKE(const StepId kept, plan.filter(source, b.graph(), positive));
  TAKE(const StepId sum, plan.reduce(kept, b.graph(), {{Aggregate::sum, x, "sum", nullptr}}));
  TAKE(const StepId count,
       plan.reduce(kept, b.graph(), {{Aggregate::count_rows, 0, "n", nullptr}}));
  TAKE(const std::vector<QueryResult> both, run(plan, std::vector<StepId>{sum, count}, {}));
  EXPECT_EQ(both[0].report.rows_read, 1000u + passing(table, *b.graph(), positive).size());
  EXPECT_EQ(both[1].report.rows_read, passing(table, *b.graph(), positive).size());
  TAKE(const QueryResult alone, run(plan, sum, {}));
  EXPECT_EQ(text_of_row(both[0].table, 0), text_of_row(alone.table, 0));
}

TEST(ExecutionOfGroups, ACancelledRunSaysSo) {
  const Table table = random_table(1000, 4);
  Plan plan;
  const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
  Builder b(plan.step(source).schema);
  TAKE(const StepId count,
       plan.reduce(source, b.graph(), {{Aggregate::sum, *b.column("i32"), "n", nullptr}}));
  RunOptions options;
  options.progress = [](const Progress&) { return false; };
  const auto outcome = run(plan, count, options);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().code(), Code::cancelled);
}

TEST(ExecutionOfGroups, CountsOfASourceThatKnowsItsRowsTakeNoKernel) {
  const Table table = Table::of({{"x", Column::from(std::vector<std::int32_t>(1000, 7))}});
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const NodeId x = b.column(0u);
  TAKE(const StepId count, plan.reduce(source, b.graph(),
                                       {{Aggregate::count_rows, 0, "n", nullptr},
                                        {Aggregate::count, x, "of_x", nullptr}}));
  TAKE(const QueryResult known, run(plan, count, {}));
  EXPECT_EQ(text_of_row(known.table, 0), "1000|1000|");
  EXPECT_TRUE(known.report.kernels.empty());
  EXPECT_EQ(known.report.rows_read, 0u);
  TAKE(const std::string text, explain(plan, count, {}));
  EXPECT_NE(text.find("no kernel: "), std::string::npos) << text;
  RunOptions validated;
  validated.validate = true;
  TAKE(const QueryResult compared, run(plan, count, validated));
  EXPECT_EQ(text_of_row(compared.table, 0), text_of_row(known.table, 0));
  EXPECT_FALSE(compared.report.kernels.empty());
}

}  // namespace
}  // namespace penstock::test
