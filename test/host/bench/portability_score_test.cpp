// The harmonic mean of efficiencies, over devices and cases.
#include "bench/portability/portability_score.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock::bench {
namespace {

PortabilityRow row_of(const char* family, const char* work, const char* device,
                      const char* hardware, double seconds) {
  PortabilityRow row;
  row.family = family, row.work = work, row.device = device, row.hardware = hardware;
  row.seconds = seconds, row.bytes = 1e9, row.copy_bytes_per_second = 1e12;
  if (seconds <= 0) row.status = {Code::unsupported, "it has no kernel"};
  return row;
}

PortabilityFigure figure_of(const PortabilityRows& rows, std::string_view family,
                            std::string_view set) {
  const auto figures = portability_of(rows);
  const auto found = std::ranges::find_if(figures, [&](const PortabilityFigure& figure) {
    return figure.family.name == family && figure.set == set;
  });
  EXPECT_NE(found, figures.end());
  return *found;
}

TEST(HarmonicMean, IsTheReciprocalOfTheMeanReciprocal) {
  const double efficiencies[] = {0.5, 1.0, 0.25};
  EXPECT_DOUBLE_EQ(harmonic_mean(efficiencies), 3 / 7.0);
}

TEST(HarmonicMean, IsZeroWhereOneDeviceCannotRunTheWork) {
  const double efficiencies[] = {0.9, 0.0, 0.9};
  EXPECT_EQ(harmonic_mean(efficiencies), 0);
}

TEST(HarmonicMean, OfNoDeviceIsZero) { EXPECT_EQ(harmonic_mean({}), 0); }

TEST(HarmonicMean, ADeviceAboveItsCopyMakesUpForNoOther) {
  const double efficiencies[] = {1.5, 0.5};
  EXPECT_DOUBLE_EQ(harmonic_mean(efficiencies), 2 / 3.0);
}

TEST(Portability, SharesOfBestAreOfTheSameHardware) {
  PortabilityRows rows = {row_of("sort", "u32", "cuda:0", "GPU", 0.001),
                          row_of("sort", "u32", "opencl:0", "GPU", 0.002),
                          row_of("sort", "u32", "opencl:1", "CPU", 0.1)};
  set_shares_of_best(rows);
  EXPECT_DOUBLE_EQ(rows[0].share_of_best, 1);
  EXPECT_DOUBLE_EQ(rows[1].share_of_best, 0.5);
  EXPECT_DOUBLE_EQ(rows[2].share_of_best, 1);
}

TEST(Portability, AForcedVariantIsNotTheBest) {
  PortabilityRows rows = {row_of("sort", "u32", "cuda:0", "GPU", 0.002),
                          row_of("sort", "u32", "cuda:0", "GPU", 0.001)};
  rows[1].is_taken = false;
  set_shares_of_best(rows);
  EXPECT_DOUBLE_EQ(rows[0].share_of_best, 1);
}

TEST(Portability, OfAFamilyIsTheMeanOverItsCasesAndDevices) {
  PortabilityRows rows = {row_of("filter", "50%", "cuda:0", "GPU", 0.001),
                          row_of("filter", "10%", "cuda:0", "GPU", 0.002),
                          row_of("filter", "50%", "opencl:0", "GPU", 0.004),
                          row_of("filter", "10%", "opencl:0", "GPU", 0.001)};
  set_shares_of_best(rows);
  const PortabilityFigure figure = figure_of(rows, "filter", "GPU");
  EXPECT_DOUBLE_EQ(figure.by_copy, 4 / (1 + 2 + 4 + 1.0));
  EXPECT_DOUBLE_EQ(figure.by_best, 4 / (1 + 2 + 4 + 1.0));
  EXPECT_DOUBLE_EQ(figure.least, 0.25);
  EXPECT_EQ(figure.lowest_device + " " + figure.lowest_work, "opencl:0 50%");
}

TEST(Portability, IsZeroForAllDevicesWhereOneLacksTheKernel) {
  PortabilityRows rows = {row_of("scan", "f32", "cuda:0", "GPU", 0.001),
                          row_of("scan", "f32", "opencl:0", "CPU", 0)};
  set_shares_of_best(rows);
  EXPECT_DOUBLE_EQ(figure_of(rows, "scan", "GPU").by_copy, 1);
  EXPECT_EQ(figure_of(rows, "scan", "all devices").by_copy, 0);
  EXPECT_EQ(figure_of(rows, "scan", "all devices").lowest_device, "opencl:0");
}

TEST(Portability, AloneOnItsHardwareABackendMeetsNoGoalByBest) {
  PortabilityRows rows = {row_of("sort", "u32", "cuda:0", "GPU", 0.001),
                          row_of("sort", "u32", "opencl:0", "CPU", 0.1)};
  set_shares_of_best(rows);
  EXPECT_FALSE(figure_of(rows, "sort", "all devices").has_goal());
}

TEST(Portability, AScanIsJudgedByCopyOnAGpuAndByTheBestOnACpu) {
  PortabilityRows rows = {row_of("scan", "f32", "cuda:0", "GPU", 0.00125),
                          row_of("scan", "f32", "opencl:0", "CPU", 0.1),
                          row_of("scan", "f32", "sycl:0", "CPU", 0.2)};
  set_shares_of_best(rows);
  EXPECT_DOUBLE_EQ(figure_of(rows, "scan", "GPU").judged, 0.8);
  EXPECT_DOUBLE_EQ(figure_of(rows, "scan", "CPU").judged, 2 / 3.0);
  EXPECT_DOUBLE_EQ(figure_of(rows, "scan", "all devices").judged, 3 / (1 / 0.8 + 1 + 2));
}

TEST(StepGains, AreRatiosOfTimesOnOneDevice) {
  const VariantStep& step = variant_steps().front();
  PortabilityRows rows = {row_of("filter", step.work.data(), "cuda:0", "GPU", 0.003),
                          row_of("filter", step.work.data(), "cuda:0", "GPU", 0.002),
                          row_of("filter", step.work.data(), "opencl:0", "GPU", 0.001)};
  rows[0].variant = step.without, rows[1].variant = step.with, rows[2].variant = step.with;
  const std::vector<StepGain> gains = step_gains(rows);
  ASSERT_EQ(gains.size(), 1u);
  EXPECT_EQ(gains[0].device, "cuda:0");
  EXPECT_DOUBLE_EQ(gains[0].gain, 1.5);
}

}  // namespace
}  // namespace penstock::bench
