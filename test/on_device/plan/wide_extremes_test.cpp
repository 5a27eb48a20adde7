// Extremes of 64 bits and user-defined reductions of many keys, by what GPUs run, on every device.
#include "wide_extremes.hpp"

#include "exec/collect/run_tiles.hpp"
#include "on_device/plan/as_gpu.hpp"
#include "penstock/custom.hpp"

namespace penstock::test {
namespace {

struct Ran {
  Table table;
  RunReport report;
};

Result<Ran> run_groups(std::shared_ptr<Device> device, const Plan& plan, StepId groups,
                       const char* variant, std::uint64_t batch_rows) {
  const StepId source = plan.step(groups).inputs[0];
  PENSTOCK_ASSIGN(const plan::TileProgram program, plan::fuse(plan, source, groups));
  RunOptions options;
  options.batch_rows = batch_rows;
  options.variant = variant;
  plan::StringPool strings;
  Ran ran;
  const plan::RunContext run{
      .device = std::move(device), .options = &options, .strings = &strings, .report = &ran.report};
  PENSTOCK_ASSIGN(ran.table, plan::run_tiles(run, program, *plan.step(source).source));
  return ran;
}

struct Case {
  const char* variant;
  std::size_t keys;
  bool near;
  const char* wanted;
};

// AdaptiveCpp's compiler for CPUs makes code of group_local.kc for groups of many threads that adds
// to any address. CPUs have groups of one thread in all but this test (docs/limitations.md).
bool is_compiled_wrongly(const Device& device, std::string_view variant) {
  return variant == "group_local" && device.traits().is_cpu &&
         device.traits().id.starts_with("sycl:");
}

void expect_extremes_by(const Case& of) {
  SCOPED_TRACE(of.variant);
  const std::vector<ExtremeRow> rows = extreme_rows(3 * of.keys, of.keys, of.near);
  Plan plan;
  TAKE(const StepId groups, extremes_by_key(plan, extreme_table(rows)));
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    if (is_compiled_wrongly(*device, of.variant)) return;
    auto gpu = std::make_shared<AsGpu>(device);
    gpu->have_few_units();
    TAKE(const Ran ran, run_groups(gpu, plan, groups, of.variant, rows.size() / 64 * 16 + 64));
    if (device->traits().has_atomic_u64) { EXPECT_EQ(ran.report.kernels[0].variant, of.wanted); }
    expect_extremes(ran.table, rows);
  });
}

TEST(WideExtremes, OfFewKeysStayInLocalMemory) {
  expect_extremes_by({"group_local", 50, false, "group_local"});
  expect_extremes_by({"group_dense", 50, true, "group_dense"});
}

TEST(WideExtremes, OfManyKeysAreInTablesOfEveryKind) {
  for (const Case& of : {Case{"group_local", 100'000, false, "group_global"},
                         Case{"group_dense", 100'000, true, "group_dense_partitioned"},
                         Case{"group_dense_global", 100'000, true, "group_dense_global"}})
    expect_extremes_by(of);
}

TEST(WideExtremes, OfAMillionKeysAreFound) {
  expect_extremes_by({"group_global", 1'000'000, false, "group_global"});
}

// Each thread has a table of its own there, which is emptied when it is full.
TEST(WideExtremes, WithoutAtomicsOf64BitsThreadsKeepTables) {
  const std::vector<ExtremeRow> rows = extreme_rows(120'000, 30'000, false);
  Plan plan;
  TAKE(const StepId groups, extremes_by_key(plan, extreme_table(rows)));
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    auto gpu = std::make_shared<AsGpu>(device);
    gpu->have_few_units();
    gpu->lack_atomics_of_64_bits();
    TAKE(const Ran ran, run_groups(gpu, plan, groups, "", 64'000));
    EXPECT_EQ(ran.report.kernels[0].variant, "group_cpu");
    EXPECT_EQ(ran.report.notes.size(), 1u);
    expect_extremes(ran.table, rows);
  });
}

TEST(WideExtremes, AReductionOfTheUserTakesManyKeys) {
  std::vector<std::int64_t> key(60'000), x(key.size());
  for (std::size_t i = 0; i < key.size(); i++)
    key[i] = static_cast<std::int64_t>(i * 7919 % 20'011), x[i] = static_cast<std::int64_t>(i);
  const auto most =
      custom_reduction<std::int64_t>("most", INT64_MIN, "return a > b ? a : b;",
                                     [](std::int64_t a, std::int64_t b) { return std::max(a, b); },
                                     {.associative = true, .commutative = true});
  std::map<std::int64_t, std::int64_t> expected;
  for (std::size_t i = 0; i < key.size(); i++)
    expected.try_emplace(key[i], x[i]).first->second = x[i];  // they grow
  Plan plan;
  const StepId source =
      plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(plan.step(source).schema);
  TAKE(const StepId groups,
       plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                     {{Aggregate::custom, b.column(1u), "most", most.reduction}}));
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) {
    TAKE(const Ran ran, run_groups(std::make_shared<AsGpu>(device), plan, groups, "", 0));
    ASSERT_EQ(ran.table.row_count, expected.size());
    for (std::uint64_t row = 0; row < ran.table.row_count; row++) {
      const auto found =
          expected.find(static_cast<std::int64_t>(scalar_at(ran.table.columns[0], row).integer));
      ASSERT_NE(found, expected.end()) << row;
      ASSERT_TRUE(scalar_at(ran.table.columns[1], row).integer == found->second) << row;
    }
  });
}

}  // namespace
}  // namespace penstock::test
