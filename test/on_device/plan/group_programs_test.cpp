// The number of programs that a group-by compiles, by the variants of GPUs, on every device.
#include <atomic>

#include "exec/collect/run_tiles.hpp"
#include "exec/devices/run_on_devices.hpp"
#include "on_device/plan/as_gpu.hpp"

namespace penstock::test {
namespace {

// Counts the programs of group-bys.
class CountingGpu final : public ForwardingDevice {
 public:
  explicit CountingGpu(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.is_cpu = traits_.unified_memory = false;
    traits_.compute_units = std::min(traits_.compute_units, 2u);
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    programs += source.text.find("pipeline_group") != std::string::npos;
    return ForwardingDevice::build(source);
  }
  std::atomic<int> programs = 0;
};

struct SumsByKey {
  // `columns`: of keys, which follow from the first.
  explicit SumsByKey(std::int64_t key_count, std::int64_t rows, std::size_t columns = 1) {
    std::vector<std::int64_t> key, x;
    for (std::int64_t row = 0; row < rows; row++) {
      key.push_back(row % key_count * 0x3'1415'9265'35ll);
      x.push_back(row);
    }
    source =
        plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
    Builder b(plan.step(source).schema);
    std::vector<Projection> keys = {{"key", b.column(0u)}};
    for (std::size_t i = 1; i < columns; i++)
      keys.push_back({"key" + std::to_string(i),
                      *b.binary(Op::add, b.column(0u), b.literal(Scalar::of(std::int64_t{1})))});
    groups = *plan.group_by(source, b.graph(), keys,
                            {{Aggregate::sum, b.column(1u), "sum", nullptr},
                             {Aggregate::count_rows, 0, "rows", nullptr}});
  }
  // Expects sums of rows; their number is a multiple of the keys.
  void expect(const Table& table, std::int64_t key_count, std::int64_t rows) const {
    ASSERT_EQ(table.row_count, static_cast<std::uint64_t>(key_count));
    const std::int64_t count = rows / key_count;
    for (std::int64_t i = 0; i < key_count; i++) {
      const auto row = static_cast<std::uint64_t>(i);
      ASSERT_TRUE(scalar_at(table.columns[0], row).integer == i * 0x3'1415'9265'35ll) << i;
      const std::size_t sum = table.columns.size() - 2;
      ASSERT_TRUE(scalar_at(table.columns[sum], row).integer ==
                  count * i + key_count * (count * (count - 1) / 2))
          << i;
      ASSERT_TRUE(scalar_at(table.columns[sum + 1], row).integer == count) << i;
    }
  }
  Plan plan;
  StepId source = 0, groups = 0;
};

Result<Table> grouped(const std::shared_ptr<Device>& device, const SumsByKey& sums,
                      const char* variant, RunReport& report) {
  PENSTOCK_ASSIGN(const plan::TileProgram program, plan::fuse(sums.plan, sums.source, sums.groups));
  RunOptions options;
  options.variant = variant;
  plan::StringPool strings;
  const plan::RunContext run{
      .device = device, .options = &options, .strings = &strings, .report = &report};
  return plan::run_tiles(run, program, *sums.plan.step(sums.source).source);
}

TEST(GroupPrograms, ManyWideKeysTakeTwoAtMost) {
  const SumsByKey sums(100'000, 300'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    const auto gpu = std::make_shared<CountingGpu>(device);
    TAKE(const std::vector<QueryResult> results,
         plan::run_on_devices(sums.plan, {sums.groups}, RunOptions(),
                              {{device->traits().id, std::shared_ptr<Device>(gpu)}}));
    sums.expect(results[0].table, 100'000, 300'000);
    EXPECT_TRUE(has_kernel(results[0].report, "group_global"));
    EXPECT_LE(gpu->programs, 2);
  });
}

// Returns how many programs a group-by by one key begins before it reads a row.
int begun_at_once(const std::shared_ptr<Device>& device, const Table& table) {
  const auto gpu = std::make_shared<CountingGpu>(device);
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const StepId groups = *plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                       {{Aggregate::count_rows, 0, "rows", nullptr}});
  const auto program = plan::fuse(plan, source, groups);
  plan::TileKernel::Options options;
  options.source = plan.step(source).source.get();
  auto kernel = plan::TileKernel::begin(gpu, *program, options);
  EXPECT_TRUE(kernel.ok());
  kernel->reset();  // waits for what still compiles
  return gpu->programs;
}

TEST(GroupPrograms, WhatWideKeysMayNeedIsCompiledBesideTheFirstProgram) {
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    const auto wide = Column::from(std::vector<std::int64_t>{1, 2, INT64_MAX});
    EXPECT_EQ(begun_at_once(device, Table::of({{"key", wide}})), 2);
    const auto narrow = Column::from(std::vector<std::int8_t>{1, 2, 3});
    EXPECT_EQ(begun_at_once(device, Table::of({{"key", narrow}})), 1);
  });
}

// By the number of keys, not by tables that were too small.
TEST(GroupPrograms, FewWideKeysGoToLocalMemory) {
  const SumsByKey sums(200, 60'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    RunReport report;
    TAKE(const Table table, grouped(std::make_shared<CountingGpu>(device), sums, "", report));
    sums.expect(table, 200, 60'000);
    EXPECT_EQ(report.kernels[0].variant, "group_local");
  });
}

// The slots that a table has at first, without a count of its keys, are too few.
TEST(GroupPrograms, ATableOfAsManySlotsAsKeysAreExpectedHoldsThem) {
  const SumsByKey sums(300'000, 300'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    RunReport report;
    TAKE(const Table table, grouped(std::make_shared<CountingGpu>(device), sums, "", report));
    sums.expect(table, 300'000, 300'000);
    EXPECT_EQ(report.kernels[0].variant, "group_global");
    EXPECT_EQ(report.kernels[0].launches, report.chunks);
  });
}

// Local memory takes 8 words of keys.
TEST(GroupPrograms, KeysOfManyWordsGoToGlobalMemory) {
  const SumsByKey sums(300'000, 300'000, 12);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    RunReport report;
    TAKE(const Table table, grouped(std::make_shared<CountingGpu>(device), sums, "", report));
    sums.expect(table, 300'000, 300'000);
    EXPECT_EQ(report.kernels[0].variant, "group_global");
  });
}

// 2^17 slots are too few.
TEST(GroupPrograms, AFullTableInGlobalMemoryIsReplacedByALargerOneOfTheSameProgram) {
  const SumsByKey sums(300'000, 300'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    const auto gpu = std::make_shared<CountingGpu>(device);
    RunReport report;
    TAKE(const Table table, grouped(gpu, sums, "group_global", report));
    EXPECT_GT(report.kernels[0].launches, report.chunks) << "the first table was large enough";
    sums.expect(table, 300'000, 300'000);
    EXPECT_EQ(gpu->programs, 1);
  });
}

// 64 slots are too few.
TEST(GroupPrograms, AFullTableInLocalMemoryIsReplacedByALargerOneOfTheSameProgram) {
  const SumsByKey sums(200, 60'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    const auto gpu = std::make_shared<CountingGpu>(device);
    RunReport report;
    TAKE(const Table table, grouped(gpu, sums, "group_local", report));
    sums.expect(table, 200, 60'000);
    EXPECT_EQ(report.kernels[0].variant, "group_local");
    EXPECT_EQ(gpu->programs, 1);
  });
}

// 32 slots are too few, and 128 and 512.
TEST(GroupPrograms, AFullTableOfAWorkGroupIsReplacedByALargerOneOfTheSameProgram) {
  const SumsByKey sums(1'000, 20'000);
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    const auto gpu = std::make_shared<CountingGpu>(device);
    RunReport report;
    TAKE(const Table table, grouped(gpu, sums, "group", report));
    sums.expect(table, 1'000, 20'000);
    EXPECT_EQ(report.kernels[0].variant, "group");
    EXPECT_EQ(gpu->programs, 1);
  });
}

}  // namespace
}  // namespace penstock::test
