// Extremes of 64 bits in tables of limbs on the host executor, under sanitizers: misaligned words
// of 64 bits, copies and parts of tables, chunks merged, and devices without atomics of 64 bits.
#include "wide_extremes.hpp"

#include "exec/collect/run_tiles.hpp"
#include "kernel_c/host_device.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

struct Extremes {
  const char* variant;  // asked for
  std::size_t keys;
  bool near;
  const char* wanted;  // at the end
};

class WideExtremes : public ::testing::TestWithParam<Extremes> {};

INSTANTIATE_TEST_SUITE_P(
    Variants, WideExtremes,
    ::testing::Values(Extremes{"group_local", 9, false, "group_local"},
                      Extremes{"group_local", 150, false, "group_global"},
                      Extremes{"group_global", 900, false, "group_global"},
                      Extremes{"group_dense", 5, true, "group_dense"},
                      Extremes{"group_dense", 100, true, "group_dense"},
                      Extremes{"group_dense", 400, true, "group_dense"},
                      Extremes{"group_dense_partitioned", 1200, true, "group_dense_partitioned"},
                      Extremes{"group_dense_global", 900, true, "group_dense_global"}),
    [](const auto& instance) {
      return std::string(instance.param.variant) + "_" + std::to_string(instance.param.keys);
    });

TEST_P(WideExtremes, AreThoseOfTheRows) {
  const std::vector<test::ExtremeRow> rows =
      test::extreme_rows(1800, GetParam().keys, GetParam().near);
  Plan plan;
  const Table table = test::extreme_table(rows);
  TAKE(const StepId groups, test::extremes_by_key(plan, table));
  const StepId source = plan.step(groups).inputs[0];
  TAKE(const TileProgram program, fuse(plan, source, groups));
  RunOptions options;
  options.batch_rows = 704;
  options.variant = GetParam().variant;
  StringPool strings;
  RunReport report;
  const RunContext run{kernel::make_host_device({false, 64, kernel::ThreadOrder::shuffled}),
                       &options, &strings, &report};
  TAKE(const Table result, run_tiles(run, program, *plan.step(source).source));
  EXPECT_EQ(report.kernels[0].variant, GetParam().wanted);
  test::expect_extremes(result, rows);
}

}  // namespace
}  // namespace penstock::plan
