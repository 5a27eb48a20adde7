// SumsWithAddends of one column with an addend each, which share the column's accumulators.
#include "fuse/program/tile_program.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

struct SumsWithAddends {
  Plan plan;
  StepId source = no_step, sums = no_step;
};

// sum(x + 0), sum(x + 1) and so on, and one that is written the other way round.
SumsWithAddends sums_with_addends(const std::vector<std::optional<std::int16_t>>& values,
                                  std::int64_t count) {
  SumsWithAddends made;
  made.source = made.plan.source(table_source(Table::of({{"x", Column::from(values)}})));
  Builder b(made.plan.step(made.source).schema);
  std::vector<AggregateCall> calls;
  for (std::int64_t k = 0; k <= count; k++) {
    const NodeId number = b.literal(Scalar::of(k)), x = b.column(0u);
    const auto sum = k == 1 ? b.binary(Op::add, number, x) : b.binary(Op::add, x, number);
    calls.push_back({Aggregate::sum, *sum, "s" + std::to_string(k), nullptr});
  }
  const auto step = made.plan.reduce(made.source, b.graph(), calls);
  if (step.ok()) made.sums = *step;
  return made;
}

TEST(ShiftedSums, OfOneColumnAreFourAccumulators) {
  const SumsWithAddends sums = sums_with_addends({{1}, {}, {3}}, 89);
  TAKE(const auto program, plan::fuse(sums.plan, sums.source, sums.sums));
  EXPECT_EQ(program.accumulators.size(), 4u);
  EXPECT_EQ(program.graph->parameters.size(), 0u);
}

TEST(ShiftedSums, OfFewAreAsTheyAreWritten) {
  const SumsWithAddends sums = sums_with_addends({{1}, {}, {3}}, 2);
  TAKE(const auto program, plan::fuse(sums.plan, sums.source, sums.sums));
  EXPECT_EQ(program.accumulators.size(), 6u);  // a sum and a count each
}

TEST(ShiftedSums, AreThoseOfTheRowsThatHaveAValue) {
  std::vector<std::optional<std::int16_t>> values;
  std::int64_t sum = 0, count = 0;
  for (int row = 0; row < 10'000; row++) {
    const auto value = static_cast<std::int16_t>(row * 37 % 30'000 - 9000);
    values.push_back(row % 7 == 3 ? std::nullopt : std::optional(value));
    if (row % 7 != 3) sum += value, count++;
  }
  const SumsWithAddends sums = sums_with_addends(values, 20);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult found, run(sums.plan, sums.sums, {.device = device.traits().id}));
    for (std::size_t k = 0; k <= 20; k++)
      EXPECT_EQ(scalar_at(found.table.columns[k], 0).integer,
                sum + static_cast<std::int64_t>(k) * count)
          << k;
    EXPECT_OK(run(sums.plan, sums.sums, {.device = device.traits().id, .validate = true}));
  });
}

TEST(ShiftedSums, OfNoValuesAreNull) {
  const SumsWithAddends sums = sums_with_addends({{}, {}}, 20);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult found, run(sums.plan, sums.sums, {.device = device.traits().id}));
    for (const Column& column : found.table.columns) EXPECT_TRUE(scalar_at(column, 0).is_null);
  });
}

// The largest value and 0 fit, and with 1 they do not; so does the least with a negative one.
TEST(ShiftedSums, AnAdditionThatOverflowsIsTheErrorOfOneSum) {
  const std::vector<std::optional<std::int16_t>> values = {{5}, {32'766}, {-3}};
  const SumsWithAddends many = sums_with_addends(values, 20), one = sums_with_addends(values, 2);
  on_each_device([&](Device& device) {
    const Status found = run(many.plan, many.sums, {.device = device.traits().id}).status();
    const Status wanted = run(one.plan, one.sums, {.device = device.traits().id}).status();
    EXPECT_EQ(found.code(), Code::overflow);
    EXPECT_EQ(found.message(), wanted.message());
  });
}

}  // namespace
}  // namespace penstock::test
