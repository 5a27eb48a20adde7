// Pipelines by every policy that `penstock tune` may try: the rows and sums must stay the same.
#include <algorithm>
#include <numeric>

#include "fuse/variants/policy_numbers.hpp"
#include "kernel/tuned_policies.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Runs a body by each choice of each number of each variant that fits, or of one alone. A policy
// that does not fit runs as the default.
template <class Body>
void on_each_policy(const Plan& plan, StepId source, StepId step, Body body,
                    std::string_view only = {}) {
  on_each_device([&](Device& device) {
    const Traits& traits = device.traits();
    TAKE(const plan::TileProgram program, plan::fuse(plan, source, step));
    for (const plan::Variant& variant : plan::variants()) {
      if (variant.epilogue != program.epilogue || !variant.fits(traits, program)) continue;
      if (!only.empty() && variant.name != only) continue;
      const auto numbers = numbers_of(variant, traits, variant.policy(traits, program));
      for (const kernel::PolicyNumber& number : numbers)
        for (const std::uint32_t choice : number.choices) {
          SCOPED_TRACE(std::string(variant.name) + " " + number.name + "=" +
                       std::to_string(choice));
          const kernel::PolicyTrial trial(std::string(family_of(variant.epilogue)),
                                          {{number.name, choice}});
          RunOptions options;
          options.device = traits.id;
          options.variant = std::string(variant.name);
          body(options);
        }
    }
  });
}

class TunedPolicies : public ::testing::Test {
 protected:
  static constexpr std::int32_t count = 40000, keys = 50;
  void SetUp() override {
    std::vector<std::int32_t> key(count), x(count);
    for (std::int32_t row = 0; row < count; row++) key[row] = row * 7 % keys, x[row] = row % 1000;
    source_ = plan_.source(
        table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}}), "rows"));
  }
  // Keeps rows with a last column below a limit.
  static StepId kept_below(Plan& plan, StepId source, std::int32_t limit) {
    const Schema& schema = plan.step(source).schema;
    Builder b(schema);
    const auto last = b.column(static_cast<std::uint32_t>(schema.size() - 1));
    const auto predicate = b.binary(Op::less, last, b.captured(Scalar::of(limit)));
    return plan.filter(source, b.graph(), predicate.value()).value();
  }
  Plan plan_;
  StepId source_ = 0;
};

TEST_F(TunedPolicies, KeptRowsAreTheSame) {
  const StepId kept = kept_below(plan_, source_, 100);
  on_each_policy(plan_, source_, kept, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan_, kept, options));
    ASSERT_EQ(outcome.table.row_count, std::uint64_t{count} / 10);
    for (std::int32_t i = 0; i < count / 10; i++)
      ASSERT_EQ(outcome.table.columns[1].values.as<std::int32_t>()[i], i % 100);
  });
}

// Hand-over words come round again only after some turns, which few rows do not reach.
TEST_F(TunedPolicies, LookBackKeepsTheRowsOfManyTurns) {
  constexpr std::uint64_t turns = 6, max_groups_per_unit = 3, max_tile_rows = 7680, step = 10;
  const std::string look_back = "compact_look_back";
  std::uint64_t rows = 0;
  on_each_policy(
      plan_, source_, kept_below(plan_, source_, 100),
      [&](const RunOptions& options) {
        TAKE(const auto device, open_device(options.device));
        rows = turns * max_groups_per_unit * max_tile_rows * device->traits().compute_units;
      },
      look_back);
  if (rows == 0) GTEST_SKIP() << "no device has " << look_back;
  std::vector<std::int32_t> x(rows), expected(rows / step);
  std::iota(expected.begin(), expected.end(), 0);
  // Rows that pass lie apart, so that every tile keeps some.
  for (std::uint64_t row = 0; row < rows; row++)
    x[row] = static_cast<std::int32_t>(row % step == 0 ? row / step : rows);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"x", Column::from(x)}}), "rows"));
  const StepId kept = kept_below(plan, source, static_cast<std::int32_t>(rows / step));
  on_each_policy(
      plan, source, kept,
      [&](const RunOptions& options) {
        TAKE(const QueryResult outcome, run(plan, kept, options));
        ASSERT_EQ(outcome.table.row_count, expected.size());
        const auto* const values = outcome.table.columns[0].values.as<std::int32_t>();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values));
      },
      look_back);
}

TEST_F(TunedPolicies, ComputedRowsAreTheSame) {
  Builder b(plan_.step(source_).schema);
  TAKE(const NodeId more, b.binary(Op::add, b.column(1u), b.captured(Scalar::of(1))));
  TAKE(const StepId mapped, plan_.map(source_, b.graph(), {{"x", more}}));
  on_each_policy(plan_, source_, mapped, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan_, mapped, options));
    ASSERT_EQ(outcome.table.row_count, std::uint64_t{count});
    for (std::int32_t i = 0; i < count; i++)
      ASSERT_EQ(scalar_at(outcome.table.columns[0], static_cast<std::uint64_t>(i)).integer,
                i % 1000 + 1);
  });
}

TEST_F(TunedPolicies, SumsAreTheSame) {
  Builder b(plan_.step(source_).schema);
  TAKE(const StepId sum,
       plan_.reduce(source_, b.graph(), {{Aggregate::sum, b.column(1u), "x", nullptr}}));
  on_each_policy(plan_, source_, sum, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan_, sum, options));
    EXPECT_EQ(scalar_at(outcome.table.columns[0], 0).integer, std::int64_t{count} / 1000 * 499500);
  });
}

TEST_F(TunedPolicies, SumsByKeyAreTheSame) {
  Builder b(plan_.step(source_).schema);
  TAKE(const StepId groups, plan_.group_by(source_, b.graph(), {{"key", b.column(0u)}},
                                           {{Aggregate::sum, b.column(1u), "x", nullptr}}));
  std::vector<std::int64_t> sums(keys);
  for (std::int32_t row = 0; row < count; row++)
    sums[static_cast<std::size_t>(row * 7 % keys)] += row % 1000;
  on_each_policy(plan_, source_, groups, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan_, groups, options));
    ASSERT_EQ(outcome.table.row_count, std::uint64_t{keys});
    for (std::uint64_t i = 0; i < keys; i++)
      ASSERT_EQ(scalar_at(outcome.table.columns[1], i).integer, sums[i]) << "key " << i;
  });
}

}  // namespace
}  // namespace penstock::test
