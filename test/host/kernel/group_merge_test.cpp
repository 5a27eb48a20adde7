// The merge of chunks' groups on the host executor, under sanitizers: races between threads that
// claim slots, tables that grow, entries of several tables a chunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "exec/collect/run_tiles.hpp"
#include "kernel_c/host_device.hpp"

namespace penstock::plan {
namespace {

class MergedGroups : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  Result<Table> merged(const Plan& plan, StepId groups, MergeLocation location,
                       std::uint64_t batch_rows, RunReport& report) {
    const StepId source = plan.step(groups).inputs[0];
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, source, groups));
    RunOptions options;
    options.batch_rows = batch_rows;
    StringPool strings;
    const RunContext run{kernel::make_host_device(GetParam()), &options, &strings, &report};
    return run_tiles(run, program, *plan.step(source).source, {.merges = location});
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, MergedGroups,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::reverse},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::shuffled}));

bool was_merged_there(const RunReport& report) {
  return std::ranges::any_of(
      report.kernels, [](const KernelReport& kernel) { return kernel.name == "group_merge"; });
}

struct SumAndExtremes {
  Int128 sum = 0;
  std::uint64_t least = ~std::uint64_t{0};
  float greatest = -1e30f;
};

TEST_P(MergedGroups, ChunksWithKeysInCommonAreAddedUp) {
  constexpr std::size_t rows = 4000, key_count = 700;
  std::vector<std::optional<std::int64_t>> key(rows);
  std::vector<std::uint64_t> u64(rows);
  std::vector<float> f32(rows);
  std::map<std::int64_t, SumAndExtremes> expected;  // NULL as the largest, which comes last
  for (std::size_t i = 0; i < rows; i++) {
    const std::size_t group = i * 7919 % key_count;
    if (group > 0) key[i] = static_cast<std::int64_t>(group) << 33;
    u64[i] = ~std::uint64_t{0} - i % 1000 * i;
    f32[i] = static_cast<float>(i % 91) - 50;
    SumAndExtremes& e = expected[key[i].value_or(std::int64_t{1} << 62)];
    e.sum += u64[i];
    e.least = std::min(e.least, u64[i]);
    e.greatest = std::max(e.greatest, f32[i]);
  }
  Plan plan;
  const StepId source = plan.source(table_source(Table::of(
      {{"key", Column::from(key)}, {"u64", Column::from(u64)}, {"f32", Column::from(f32)}})));
  Builder b(plan.step(source).schema);
  const auto groups = plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                    {{Aggregate::sum, b.column(1u), "sum", nullptr},
                                     {Aggregate::minimum, b.column(1u), "min", nullptr},
                                     {Aggregate::maximum, b.column(2u), "max", nullptr}});
  ASSERT_TRUE(groups.ok()) << groups.status().text();
  RunReport report;
  const auto result = merged(plan, *groups, MergeLocation::device, 448, report);
  ASSERT_TRUE(result.ok()) << result.status().text();
  EXPECT_TRUE(was_merged_there(report));
  ASSERT_EQ(result->row_count, expected.size());
  std::uint64_t row = 0;
  for (const auto& [at, e] : expected) {
    const Scalar sum = scalar_at(result->columns[1], row);
    EXPECT_TRUE(sum.integer == e.sum) << at;
    EXPECT_TRUE(scalar_at(result->columns[2], row).integer == static_cast<Int128>(e.least)) << at;
    EXPECT_EQ(scalar_at(result->columns[3], row).real, static_cast<double>(e.greatest)) << at;
    row++;
  }
}

// The host has the first chunk's groups, which are few; the device's groups are added to them.
TEST_P(MergedGroups, TheDeviceMergesFromTheFirstChunkOfManyGroupsOn) {
  constexpr std::size_t chunk_rows = 2560, rows = 3 * chunk_rows;
  std::vector<std::int64_t> key(rows), expected(chunk_rows);
  for (std::size_t i = 0; i < rows; i++) {
    const std::size_t group = i < chunk_rows ? i % 10 : i % chunk_rows;
    key[i] = static_cast<std::int64_t>(group) << 40;
    expected[group] += static_cast<std::int64_t>(i);
  }
  std::vector<std::int64_t> value(rows);
  std::iota(value.begin(), value.end(), std::int64_t{0});
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"value", Column::from(value)}})));
  Builder b(plan.step(source).schema);
  const auto groups = plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                    {{Aggregate::sum, b.column(1u), "sum", nullptr}});
  ASSERT_TRUE(groups.ok()) << groups.status().text();
  RunReport report;
  const auto result = merged(plan, *groups, MergeLocation::automatic, chunk_rows, report);
  ASSERT_TRUE(result.ok()) << result.status().text();
  EXPECT_EQ(was_merged_there(report), !GetParam().is_cpu);
  ASSERT_EQ(result->row_count, chunk_rows);
  for (std::uint64_t row = 0; row < chunk_rows; row++)
    ASSERT_TRUE(scalar_at(result->columns[1], row).integer == expected[row]) << row;
}

}  // namespace
}  // namespace penstock::plan
