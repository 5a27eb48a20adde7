// Groups in local memory on the host executor, under sanitizers: limbs of every kind, tables that
// are too small, floats that limbs do not hold.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "exec/collect/run_tiles.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/expression.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

class LocalGroups : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  // A group-by of a source's rows, in chunks; `variants` are those that were compiled, in order.
  Result<Table> grouped(const Plan& plan, StepId groups, std::vector<std::string>& variants,
                        std::uint64_t batch_rows) {
    const StepId source = plan.step(groups).inputs[0];
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, source, groups));
    RunOptions options;
    options.batch_rows = batch_rows;
    options.variant = "group_local";
    options.on_source = [&](std::string_view text) {
      const bool has_limbs = text.find("limbs_add(") != std::string_view::npos;
      const bool is_one = text.find("group_collect") != std::string_view::npos;
      variants.push_back(is_one ? "one table" : has_limbs ? "local" : "a table a group");
    };
    StringPool strings;
    RunReport report;
    const RunContext run{kernel::make_host_device(GetParam()), &options, &strings, &report};
    return run_tiles(run, program, *plan.step(source).source);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, LocalGroups,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::reverse}));

template <class T> std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 numbers(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(numbers());
  return values;
}

// Sums of 64-bit integers leave 64 bits, negative ones borrow through all limbs, extremes are their
// types' extremes.
TEST_P(LocalGroups, IntegersAreExact) {
  constexpr std::size_t rows = 1500;
  const auto i32 = random_values<std::int32_t>(rows, 1);
  const auto u32 = random_values<std::uint32_t>(rows, 2);
  const auto i64 = random_values<std::int64_t>(rows, 3);
  const auto u64 = random_values<std::uint64_t>(rows, 4);
  const auto i8 = random_values<std::int8_t>(rows, 5);
  std::vector<std::int32_t> key(rows);
  for (std::size_t i = 0; i < rows; i++) key[i] = static_cast<std::int32_t>(i * i % 7) - 3;
  Plan plan;
  const Table table = Table::of({{"key", Column::from(key)},
                                 {"i32", Column::from(i32)},
                                 {"u32", Column::from(u32)},
                                 {"i64", Column::from(i64)},
                                 {"u64", Column::from(u64)},
                                 {"i8", Column::from(i8)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  std::vector<AggregateCall> calls;
  for (std::uint32_t c = 1; c < 6; c++)
    calls.push_back({Aggregate::sum, b.column(c), "sum", nullptr});
  for (const std::uint32_t c : {1u, 2u, 5u}) {
    calls.push_back({Aggregate::minimum, b.column(c), "min", nullptr});
    calls.push_back({Aggregate::maximum, b.column(c), "max", nullptr});
  }
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  std::vector<std::string> variants;
  TAKE(const Table result, grouped(plan, groups, variants, 448));
  ASSERT_EQ(variants, std::vector<std::string>{"local"});
  std::map<std::int32_t, std::vector<Int128>> expected;
  for (std::size_t i = 0; i < rows; i++) {
    const Int128 values[] = {i32[i], u32[i], i64[i], u64[i], i8[i]};
    auto [at, is_new] = expected.try_emplace(key[i], 11);
    std::vector<Int128>& e = at->second;
    for (int c = 0; c < 5; c++) e[static_cast<std::size_t>(c)] += values[c];
    const int extremes[] = {0, 1, 4};
    for (std::size_t j = 0; j < 3; j++) {
      const Int128 value = values[extremes[j]];
      e[5 + 2 * j] = is_new ? value : std::min(e[5 + 2 * j], value);
      e[6 + 2 * j] = is_new ? value : std::max(e[6 + 2 * j], value);
    }
  }
  ASSERT_EQ(result.row_count, expected.size());
  std::uint64_t row = 0;
  for (const auto& [k, values] : expected) {
    EXPECT_EQ(static_cast<std::int32_t>(scalar_at(result.columns[0], row).integer), k);
    for (std::size_t c = 0; c < 11; c++)
      EXPECT_TRUE(scalar_at(result.columns[c + 1], row).integer == values[c])
          << k << " column " << c;
    row++;
  }
}

TEST_P(LocalGroups, NullsAreNoExtremes) {
  const std::vector<std::optional<std::int8_t>> x = {std::nullopt, 5,           std::nullopt, -7,
                                                     std::nullopt, std::nullopt};
  const std::vector<std::int32_t> key = {1, 1, 2, 1, 3, 3};
  Plan plan;
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const NodeId value = b.column(1u);
  const std::vector<AggregateCall> calls = {{Aggregate::minimum, value, "min", nullptr},
                                            {Aggregate::maximum, value, "max", nullptr},
                                            {Aggregate::sum, value, "sum", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  std::vector<std::string> variants;
  TAKE(const Table result, grouped(plan, groups, variants, 0));
  const char* const expected[3][3] = {
      {"-7", "5", "-2"}, {"NULL", "NULL", "NULL"}, {"NULL", "NULL", "NULL"}};
  ASSERT_EQ(result.row_count, 3u);
  for (std::uint64_t row = 0; row < 3; row++)
    for (std::size_t c = 0; c < 3; c++)
      EXPECT_EQ(text_of(scalar_at(result.columns[c + 1], row)), expected[row][c])
          << row << " " << c;
}

// One table of 64 is full, then larger ones of the same program, then one in global memory is large
// enough.
TEST_P(LocalGroups, TablesGrowUntilOneForAllIsLargeEnough) {
  constexpr std::size_t rows = 6000;
  std::vector<std::int64_t> key(rows), occurrences(3001);
  for (std::size_t i = 0; i < rows; i++)
    occurrences[i * 7919 % 3001]++, key[i] = static_cast<std::int64_t>(i * 7919 % 3001);
  Plan plan;
  const Table table = Table::of({{"key", Column::from(key)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "rows", nullptr},
                                            {Aggregate::sum, b.column(0u), "sum", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  std::vector<std::string> variants;
  TAKE(const Table result, grouped(plan, groups, variants, 0));
  ASSERT_EQ(result.row_count, 3001u);
  EXPECT_EQ(variants, (std::vector<std::string>{"local", "one table"}));
  for (std::uint64_t row = 0; row < 3001; row++) {
    const std::int64_t count = occurrences[row];
    ASSERT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[1], row).integer), count) << row;
    ASSERT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[2], row).integer),
              count * static_cast<std::int64_t>(row))
        << row;
  }
}

// Sums are the exact sums, rounded once.
TEST_P(LocalGroups, FloatsInTheLimbsAreExact) {
  constexpr std::size_t rows = 1200;
  std::mt19937_64 numbers(11);
  std::vector<double> x(rows);
  std::vector<std::int32_t> key(rows);
  std::map<std::int32_t, Int128> expected;  // in units of 2^-80
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::int32_t>(i % 3);
    const auto mantissa = static_cast<std::int64_t>(numbers() >> (11 + numbers() % 30));
    const int place = static_cast<int>(numbers() % 62);
    const Int128 units = (numbers() % 2 == 0 ? Int128{mantissa} : -Int128{mantissa}) << place;
    x[i] = std::ldexp(static_cast<double>(units), -80);
    expected[key[i]] += units;
  }
  Plan plan;
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "sum", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  std::vector<std::string> variants;
  TAKE(const Table result,
       grouped(plan, groups, variants, 2048));  // one chunk, and one group a tile's share
  ASSERT_EQ(variants, std::vector<std::string>{"local"});
  ASSERT_EQ(result.row_count, 3u);
  for (std::uint64_t row = 0; row < 3; row++) {
    const double sum =
        std::ldexp(static_cast<double>(expected[static_cast<std::int32_t>(row)]), -80);
    EXPECT_NEAR(scalar_at(result.columns[1], row).real, sum, std::abs(sum) * 0x1p-48) << row;
  }
}

// In chunks of one group, so that nothing is rounded before the end.
TEST_P(LocalGroups, NarrowFloatsInTheLimbsAreExact) {
  constexpr std::size_t rows = 400;
  std::mt19937_64 numbers(12);
  std::vector<float> x(rows);
  Int128 expected = 0;  // in units of 2^-80
  for (std::size_t i = 0; i < rows; i++) {
    const Int128 mantissa = static_cast<std::int64_t>(numbers() >> (40 + numbers() % 20));
    const Int128 units = (numbers() % 3 == 0 ? mantissa : -mantissa)
                         << (i == 7 ? 0 : numbers() % 95);
    x[i] = static_cast<float>(std::ldexp(static_cast<double>(units), -80));
    expected += units;
  }
  Plan plan;
  const Table table = Table::of(
      {{"key", Column::from(std::vector<std::int32_t>(rows, 3))}, {"x", Column::from(x)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr}}));
  std::vector<std::string> variants;
  TAKE(const Table result, grouped(plan, groups, variants, 0));
  ASSERT_EQ(variants, std::vector<std::string>{"local"});
  const double sum = std::ldexp(static_cast<double>(expected), -80);
  EXPECT_NEAR(scalar_at(result.columns[1], 0).real, sum, std::abs(sum) * 0x1p-50);
}

TEST_P(LocalGroups, FloatsOutsideTheLimbsTakeAnotherVariant) {
  const std::vector<double> outside = {1e-30, 0x1p48, -1e300, 0x1p-1074, HUGE_VAL, -HUGE_VAL, NAN};
  for (const double value : outside) {
    SCOPED_TRACE(value);
    std::vector<double> x(100, 0.5);
    x[77] = value;
    Plan plan;
    const Table table = Table::of(
        {{"key", Column::from(std::vector<std::int32_t>(100, 3))}, {"x", Column::from(x)}});
    const StepId source = plan.source(table_source(table));
    Builder b(plan.step(source).schema);
    const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "sum", nullptr}};
    TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
    std::vector<std::string> variants;
    TAKE(const Table result, grouped(plan, groups, variants, 0));
    ASSERT_EQ(variants.size(), 2u);
    EXPECT_EQ(variants[1], "a table a group");
    const double sum = scalar_at(result.columns[1], 0).real, wanted = 49.5 + value;
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(sum)
                                   : sum == wanted || std::abs(sum - wanted) < 1e-9)
        << sum;
  }
}

// The executor's threads run one by one, where none can wait for another of its sub-group: the text
// alone tells.
TEST(GlobalGroups, WhoClaimsAPlaceDoesNotLeaveTheLoopThatOthersOfItsSubGroupWaitIn) {
  const std::string text(template_source("group_global"));
  const std::size_t claimed = text.find("*is_new = 1u;");
  ASSERT_NE(claimed, std::string::npos);
  EXPECT_EQ(text.substr(text.find("return", claimed), 10), "return 0u;");
}

// Chunks in flight together: the first takes another variant, while those behind it have run by the
// one before.
TEST_P(LocalGroups, ChunksThatFittedAreReadAsTheyWereWritten) {
  std::vector<double> x(640, 0.5);
  std::vector<std::int32_t> key(640);
  for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int32_t>(i % 5);
  x[3] = 1e300;
  Plan plan;
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr}}));
  std::vector<std::string> variants;
  TAKE(const Table result, grouped(plan, groups, variants, 320));
  ASSERT_EQ(variants.size(), 2u);
  ASSERT_EQ(result.row_count, 5u);
  for (std::uint64_t row = 0; row < 5; row++)
    EXPECT_EQ(scalar_at(result.columns[1], row).real, row == 3 ? 1e300 : 64.0) << row;
}

}  // namespace
}  // namespace penstock::plan
