// Refusals of a plan when a step is added, and rules of policies and partial sums; no device.
#include <gtest/gtest.h>

#include <bit>

#include "fuse/program/accumulators.hpp"
#include "fuse/variants/variants.hpp"
#include "penstock/run.hpp"

namespace penstock::plan {
namespace {

std::shared_ptr<TableSource> two_columns() {
  return table_source(
      Table::of({{"a", Column::from(std::vector<std::optional<std::int32_t>>{1, {}})},
                 {"b", Column::from(std::vector<double>{1.5, 2})}}));
}

template <class T> std::string error_of(const Result<T>& result) {
  return result.ok() ? "no error" : result.status().message();
}

TEST(PlanSteps, AGraphOfOtherColumnsIsRefused) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  const auto error = [&](Schema schema) {
    Builder b(std::move(schema));
    return error_of(plan.map(rows, b.graph(),
                             {{"x", b.column(static_cast<std::uint32_t>(b.schema().size() - 1))}}));
  };
  EXPECT_EQ(error({{"a", {Kind::int32}, true}, {"b", {Kind::int64}, false}}),
            "map: column 'b' is DOUBLE, not BIGINT");
  EXPECT_EQ(error({{"a", {Kind::int32}, true}, {"b", {Kind::float64}}, {"c", {Kind::float64}}}),
            "map: its input has no column 2");
  EXPECT_EQ(error({{"a", {Kind::int32}, false}}), "map: column 'a' may be NULL");
  EXPECT_EQ(error(plan.step(rows).schema), "no error");
}

TEST(PlanSteps, NodesThatAreNoneAreRefusedByEveryStep) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  Builder b(plan.step(rows).schema);
  const std::string none = "there is no node 99 in its graph";
  EXPECT_EQ(error_of(plan.filter(rows, b.graph(), 99)), "filter: " + none);
  EXPECT_EQ(error_of(plan.map(rows, b.graph(), {{"x", 99}})), "map: " + none);
  EXPECT_EQ(error_of(plan.reduce(rows, b.graph(), {{Aggregate::sum, 99, "x", nullptr}})),
            "reduce: " + none);
  EXPECT_EQ(error_of(plan.group_by(rows, b.graph(), {{"x", 99}}, {})), "group by: " + none);
  const NodeId column = b.graph()->add({Op::column, {Kind::int32}, true, 7, {}});
  EXPECT_EQ(error_of(plan.map(rows, b.graph(), {{"x", column}})), "map: its input has no column 7");
  const NodeId parameter = b.graph()->add({Op::custom, {Kind::int32}, false, 7, {}});
  EXPECT_EQ(error_of(plan.map(rows, b.graph(), {{"x", parameter}})),
            "map: its graph lacks a custom function");
}

TEST(PlanSteps, MissingInputsAndGraphsAreRefusedByEveryStep) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  Builder b(plan.step(rows).schema);
  EXPECT_EQ(plan.source(nullptr), no_step);
  for (const StepId input : {no_step, StepId{5}}) {
    const std::string error = "its input is not a step of this plan";
    EXPECT_EQ(error_of(plan.filter(input, b.graph(), 0)), "filter: " + error);
    EXPECT_EQ(error_of(plan.map(input, b.graph(), {{"x", 0}})), "map: " + error);
    EXPECT_EQ(error_of(plan.reduce(input, b.graph(), {{Aggregate::count_rows, 0, "n", nullptr}})),
              "reduce: " + error);
    EXPECT_EQ(error_of(plan.group_by(input, b.graph(), {{"x", 0}}, {})), "group by: " + error);
  }
  EXPECT_EQ(error_of(plan.filter(rows, nullptr, 0)), "filter: it has no graph");
  EXPECT_EQ(error_of(plan.map(rows, nullptr, {{"x", 0}})), "map: it has no graph");
  EXPECT_EQ(error_of(plan.reduce(rows, nullptr, {{Aggregate::count_rows, 0, "n", nullptr}})),
            "reduce: it has no graph");
  EXPECT_EQ(error_of(plan.group_by(rows, nullptr, {{"x", 0}}, {})), "group by: it has no graph");
  for (const StepId result : {no_step, StepId{9}}) {
    EXPECT_EQ(error_of(run(plan, result)), "the result is not a step of this plan");
    EXPECT_EQ(error_of(explain(plan, result)), "the result is not a step of this plan");
    EXPECT_EQ(error_of(source(plan, result, Target::opencl)),
              "the result is not a step of this plan");
    EXPECT_EQ(error_of(prepare(plan, result)), "the result is not a step of this plan");
  }
}

// Kernels add up 32-bit integers in 64 bits; a run has any number of launches.
TEST(Partials, SumsOfLaunchesHave128Bits) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  Builder b(plan.step(rows).schema);
  const NodeId a32 = b.column(0u);
  const auto total = plan.reduce(
      rows, b.graph(),
      {{Aggregate::sum, a32, "sum", nullptr}, {Aggregate::average, a32, "avg", nullptr}});
  ASSERT_TRUE(total.ok());
  const auto program = fuse(plan, rows, *total);
  ASSERT_TRUE(program.ok());
  std::vector<Partial> partials(program->accumulators.size());
  clear(*program, partials);
  std::vector<std::uint64_t> words(program->accumulator_words());
  constexpr std::uint64_t count = std::uint64_t{1} << 32,
                          sum_of_launch = (std::uint64_t{1} << 63) + count;
  for (const Accumulator& a : program->accumulators)
    words[a.word] = a.kind == AccumulatorKind::count ? count : sum_of_launch;
  for (int launch = 0; launch < 4; launch++) ASSERT_TRUE(merge(*program, partials, words));
  const Scalar sum = result_of(*program, program->results[0], partials);
  EXPECT_EQ(text_of(sum), "-36893488130239234048");
  EXPECT_EQ(result_of(*program, program->results[1], partials).real, -2147483647.0);
}

// reduce.kc and group_by.kc merge items by halves: of 384 items the third 128 would be lost.
TEST(Policies, GroupsThatMergeByHalvesArePowersOfTwo) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  Builder b(plan.step(rows).schema);
  const auto total = plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}});
  const auto groups = plan.group_by(rows, b.graph(), {{"a", b.column(0u)}}, {});
  ASSERT_TRUE(total.ok() && groups.ok());
  for (const std::uint32_t most : {1u, 96u, 384u, 1000u}) {
    Traits traits = typical_traits(Target::opencl);
    traits.max_group_size = most;
    for (const StepId step : {*total, *groups}) {
      const auto program = fuse(plan, rows, step);
      ASSERT_TRUE(program.ok());
      const auto variant = choose_variant(traits, *program);
      ASSERT_TRUE(variant.ok());
      const std::uint32_t size = (*variant)->policy(traits, *program).group_size;
      EXPECT_TRUE(std::has_single_bit(size) && size <= most) << size << " of " << most;
    }
  }
}

// A compiler would refuse it later, and without a name.
TEST(Variants, Float64IsRefusedByNameWhereADeviceHasNone) {
  Plan plan;
  const StepId rows = plan.source(two_columns());
  Builder b(plan.step(rows).schema);
  const auto real = b.cast(b.column(0u), {Kind::float64});
  ASSERT_TRUE(real.ok());
  const auto total = plan.reduce(rows, b.graph(), {{Aggregate::maximum, *real, "most", nullptr}});
  ASSERT_TRUE(total.ok());
  const auto program = fuse(plan, rows, *total);
  ASSERT_TRUE(program.ok());
  Traits traits = typical_traits(Target::opencl);
  EXPECT_TRUE(choose_variant(traits, *program).ok());
  traits.has_f64 = false;
  const Status refused = choose_variant(traits, *program).status();
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(refused.message().find("float64, which opencl lacks"), std::string::npos);
}

}  // namespace
}  // namespace penstock::plan
