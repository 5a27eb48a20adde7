// Running sums on every device and on the host executor, against sums made one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernel/kernel_source.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "primitive/scan.hpp"
#include "primitive/scan_variants.hpp"

namespace penstock::primitive {
namespace {

// `begins` is empty where there are no segments.
template <class S, class V>
Result<std::vector<S>> scan_on(std::shared_ptr<Device> device, Scan& scan,
                               const std::vector<V>& values,
                               const std::vector<std::uint8_t>& begins = {}) {
  std::vector<S> sums(values.size() + 1, S{77});  // one more: nothing is written behind the last
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const auto from, on_device(*device, *queue, values));
  PENSTOCK_ASSIGN(const auto to, on_device(*device, *queue, sums));
  PENSTOCK_ASSIGN(const auto begins_there, on_device(*device, *queue, begins));
  PENSTOCK_TRY(begins.empty() ? scan.enqueue(*queue, *from, *to, values.size())
                              : scan.enqueue(*queue, *from, *begins_there, *to, values.size()));
  PENSTOCK_TRY(queue->download(sums.data(), *to, sums.size() * sizeof(S)));
  PENSTOCK_TRY(queue->finish());
  return sums;
}

// Whole numbers that floats hold exactly, in any order, or bits that integers wrap.
template <class V> std::vector<V> make_values(std::size_t count) {
  std::mt19937_64 numbers(count);
  std::vector<V> values(count);
  for (V& value : values)
    value = std::is_integral_v<V> ? static_cast<V>(numbers())
                                  : static_cast<V>(static_cast<int>(numbers() % 7) - 3);
  return values;
}

// Runs a body by each variant that fits a device.
template <class Body>
void on_each_scan(const std::shared_ptr<Device>& device, ScanShape shape, Body body) {
  for (const ScanVariant& variant : scan_variants()) {
    if (!variant.fits(device->traits(), shape)) continue;
    SCOPED_TRACE(std::string(variant.name));
    TAKE(const auto scan, Scan::build(device, shape, variant.name));
    ASSERT_EQ(scan->variant(), variant.name);
    body(*scan);
  }
}

template <class V, class S>
void expect_sums_by(std::shared_ptr<Device> device, Scan& scan, bool is_exclusive,
                    const std::vector<std::size_t>& counts) {
  for (const std::size_t count : counts) {
    const std::vector<V> values = make_values<V>(count);
    TAKE(const std::vector<S> sums, (scan_on<S>(device, scan, values)));
    S sum{0};
    for (std::size_t i = 0; i < count; i++) {
      const S before = sum;
      sum += static_cast<S>(values[i]);
      ASSERT_EQ(sums[i], is_exclusive ? before : sum)
          << "at " << i << " of " << count << (is_exclusive ? ", exclusive" : ", inclusive");
    }
    ASSERT_EQ(sums[count], S{77}) << "behind the last of " << count;
  }
}

template <class V, class S>
void expect_sums(std::shared_ptr<Device> device, ScanShape shape,
                 const std::vector<std::size_t>& counts) {
  for (const bool is_exclusive : {false, true}) {
    shape.is_exclusive = is_exclusive;
    on_each_scan(device, shape,
                 [&](Scan& scan) { expect_sums_by<V, S>(device, scan, is_exclusive, counts); });
  }
}

// Tiles have 512 to 7680 values: counts around those, and some that give every group several.
const std::vector<std::size_t> counts = {0,    1,    3,      4,         5,         511,
                                         512,  513,  2047,   4095,      4097,      7679,
                                         7680, 7681, 65'537, 1'000'003, 12'345'678};

TEST(Scan, SumsOfEveryKindAreThoseMadeOneByOne) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    expect_sums<std::uint32_t, std::uint32_t>(shared, {Number::u32, Number::u32}, counts);
    expect_sums<std::int32_t, std::uint64_t>(shared, {Number::i32, Number::u64}, counts);
    expect_sums<std::uint64_t, std::uint64_t>(shared, {Number::u64, Number::u64}, counts);
    expect_sums<float, float>(shared, {Number::f32, Number::f32}, counts);
    expect_sums<float, double>(shared, {Number::f32, Number::f64}, counts);
    expect_sums<double, double>(shared, {Number::f64, Number::f64}, counts);
  });
}

// One in `one_in` begins a segment; 0: the first value alone. In the second quarter none does, so
// that one goes on through many tiles.
std::vector<std::uint8_t> make_begins(std::size_t count, std::size_t one_in) {
  std::mt19937_64 numbers(count + one_in);
  std::vector<std::uint8_t> begins(count + 1);  // no empty one
  for (std::size_t i = 0; i < count; i++)
    begins[i] = one_in > 0 && (i < count / 4 || i > count / 2) && numbers() % one_in == 0 ? 3 : 0;
  return begins;
}

template <class V, class S>
void expect_segments_by(std::shared_ptr<Device> device, Scan& scan, bool is_exclusive,
                        std::size_t count, std::size_t one_in) {
  const std::vector<V> values = make_values<V>(count);
  const std::vector<std::uint8_t> begins = make_begins(count, one_in);
  TAKE(const std::vector<S> sums, (scan_on<S>(device, scan, values, begins)));
  S sum{0};
  for (std::size_t i = 0; i < count; i++) {
    const S before = begins[i] != 0 ? S{0} : sum;
    sum = before + static_cast<S>(values[i]);
    ASSERT_EQ(sums[i], is_exclusive ? before : sum)
        << "at " << i << " of " << count << ", a segment in " << one_in
        << (is_exclusive ? ", exclusive" : ", inclusive");
  }
  ASSERT_EQ(sums[count], S{77}) << "behind the last of " << count;
}

template <class V, class S>
void expect_segments(std::shared_ptr<Device> device, ScanShape shape,
                     const std::vector<std::size_t>& of_counts) {
  shape.is_segmented = true;
  for (const bool is_exclusive : {false, true}) {
    shape.is_exclusive = is_exclusive;
    on_each_scan(device, shape, [&](Scan& scan) {
      for (const std::size_t count : of_counts)
        for (const std::size_t one_in : {0, 1, 5, 900, 100'000})
          expect_segments_by<V, S>(device, scan, is_exclusive, count, one_in);
    });
  }
}

TEST(Scan, SumsOfSegmentsAreThoseMadeOneByOne) {
  const std::vector<std::size_t> some = {0, 1, 4, 511, 513, 4097, 7681, 65'537, 1'000'003};
  on_each_device([&](Device& device) {
    const auto shared = *open_device(device.traits().id);
    expect_segments<std::uint8_t, std::uint32_t>(shared, {Number::u8, Number::u32}, some);
    expect_segments<std::uint32_t, std::uint32_t>(shared, {Number::u32, Number::u32}, some);
    expect_segments<std::uint64_t, std::uint64_t>(shared, {Number::u64, Number::u64}, some);
    expect_segments<float, float>(shared, {Number::f32, Number::f32}, some);
    expect_segments<double, double>(shared, {Number::f64, Number::f64}, some);
  });
}

TEST(Scan, NothingOfOneSegmentReachesTheNext) {
  std::vector<double> values(300'000, 1);
  std::vector<std::uint8_t> begins(values.size());
  for (std::size_t i = 0; i < values.size();
       i += 997) {  // the last of a segment is none, then the next begins
    begins[i] = 1;
    if (i > 0) values[i - 1] = i % 2 == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
  }
  on_each_device([&](Device& device) {
    const auto shared = *open_device(device.traits().id);
    TAKE(const auto scan, Scan::build(shared, {Number::f64, Number::f64, false, true}));
    TAKE(const std::vector<double> sums, (scan_on<double>(shared, *scan, values, begins)));
    for (std::size_t i = 0; i < values.size(); i++)
      ASSERT_TRUE(i % 997 == 996 || sums[i] == static_cast<double>(i % 997 + 1))
          << i << ": " << sums[i];
  });
}

TEST(Scan, FloatsComeOutAlikeInEveryRun) {
  std::mt19937_64 numbers(7);
  std::vector<double> values(3'000'001);
  for (double& value : values) value = std::uniform_real_distribution<double>(-1, 1)(numbers) * 1e6;
  on_each_device([&](Device& device) {
    const auto shared = *open_device(device.traits().id);
    for (const bool is_segmented : {false, true}) {
      const std::vector<std::uint8_t> begins =
          is_segmented ? make_begins(values.size(), 90'000) : std::vector<std::uint8_t>();
      TAKE(const auto scan, Scan::build(shared, {Number::f64, Number::f64, false, is_segmented}));
      TAKE(const std::vector<double> first, (scan_on<double>(shared, *scan, values, begins)));
      for (int run = 0; run < 4; run++) {
        TAKE(const std::vector<double> again, (scan_on<double>(shared, *scan, values, begins)));
        for (std::size_t i = 0; i < values.size(); i++)
          ASSERT_EQ(std::bit_cast<std::uint64_t>(again[i]), std::bit_cast<std::uint64_t>(first[i]))
              << i;
      }
    }
  });
}

// `penstock tune` may choose any of them.
TEST(Scan, SumsAreTheSameByEveryPolicy) {
  const ScanShape shape{Number::u32, Number::u32};
  on_each_device([&](Device& device) {
    const auto shared = *open_device(device.traits().id);
    for (const kernel::VariantCase& each : kernel::variant_cases(device.traits()))
      for (const kernel::VariantRow& row : each.rows)
        for (const kernel::PolicyNumber& number : row.policy)
          for (const std::uint32_t choice : number.choices) {
            if (each.family != "scan" || each.use != "32 bits") continue;
            SCOPED_TRACE(row.name + " " + number.name + "=" + std::to_string(choice));
            const kernel::PolicyTrial trial("scan", {{number.name, choice}});
            TAKE(const auto scan, Scan::build(shared, shape, row.name));
            expect_sums_by<std::uint32_t, std::uint32_t>(shared, *scan, false,
                                                         {0, 513, 65'537, 1'000'003});
          }
  });
}

TEST(Scan, WhatCannotBeAddedIsRefused) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    const ScanShape narrower{Number::f64, Number::f32}, other_kind{Number::u32, Number::f32},
        of_narrow_signed{Number::i32, Number::i32};
    for (const ScanShape shape : {narrower, other_kind, of_narrow_signed})
      EXPECT_EQ(Scan::build(shared, shape).status().code(), Code::invalid);
    TAKE(const auto scan, Scan::build(shared, {Number::u32, Number::u32}));
    TAKE(const auto queue, shared->queue());
    TAKE(const auto buffer, shared->allocate(64));
    EXPECT_EQ(scan->enqueue(*queue, *buffer, *buffer, (std::uint64_t{1} << 40) + 1).code(),
              Code::capacity);
    EXPECT_EQ(scan->enqueue(*queue, *buffer, *buffer, *buffer, 1).code(), Code::invalid)
        << "segments, where it knows none";
    TAKE(const auto segmented, Scan::build(shared, {Number::u32, Number::u32, false, true}));
    EXPECT_EQ(segmented->enqueue(*queue, *buffer, *buffer, 1).code(), Code::invalid)
        << "no segments, where it needs them";
  });
}

// Races, divergent barriers and accesses out of bounds, in the texts of GPUs with and without
// sub-groups, and of CPUs.
class ScanOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, ScanOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 512, kernel::ThreadOrder::shuffled, 32},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(ScanOnTheHost, ScansWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  expect_sums<float, float>(device, {Number::f32, Number::f32}, {0, 5, 3000});
  expect_sums<std::int32_t, std::uint64_t>(device, {Number::i32, Number::u64}, {2500});
  expect_segments<double, double>(device, {Number::f64, Number::f64}, {2500});
  expect_segments<std::uint8_t, std::uint32_t>(device, {Number::u8, Number::u32}, {1301});
}

// The executor runs a group to its end before the next: the first has to compute the totals of the
// tiles of all others itself.
void expect_sums_of_groups(const std::string& definitions,
                           const kernel::HostProgramOptions& options, std::uint32_t tiles,
                           std::uint32_t groups, const std::vector<std::uint8_t>& begins) {
  const std::string source(kernel::primitive_source("primitive/kernels/scan_tiles.kc"));
  const kernel::SourcePart parts[] = {{"definitions", definitions}, {"scan_tiles.kc", source}};
  TAKE(const kernel::HostProgram program,
       kernel::HostProgram::build(kernel::assemble(Target::host, parts, kernel::primitive_source),
                                  options));
  std::vector<float> values = make_values<float>(options.group_size * 8 * tiles - 3),
                     sums(values.size(), 77);
  const std::vector<float> input = values;
  std::vector<std::uint32_t> totals(2 * tiles, 0);
  std::vector<std::uint8_t> begins_there = begins;
  begins_there.resize(values.size() + 8);
  const std::vector<kernel::HostArgument> arguments = {
      kernel::HostArgument::buffer(values), kernel::HostArgument::buffer(begins_there),
      kernel::HostArgument::buffer(sums), kernel::HostArgument::buffer(totals),
      kernel::HostArgument::value(static_cast<std::uint64_t>(values.size()))};
  const Status ran = program.run("scan_tiles", groups, arguments, kernel::ThreadOrder::shuffled);
  ASSERT_TRUE(ran.ok()) << ran.text();
  float sum = 0;
  for (std::size_t i = 0; i < input.size(); i++)
    ASSERT_EQ(sums[i], sum = (begins_there[i] != 0 ? 0 : sum) + input[i]) << i;
}

TEST(ScanTiles, GroupsThatHaveNotRunHoldNobodyUp) {
  expect_sums_of_groups("", {32, {}}, 10, 3, {});
}

// More tiles between two of a group's than it has items, and more items than add up sums: each
// takes several, which are neighbours.
TEST(ScanTiles, SegmentsAcrossGroupsAreJoinedInOrder) {
  const std::string segmented =
      "#define SCAN_VALUE f32\n#define SCAN_SUM f32\n#define SCAN_BITS(x) BITS_F32(x)\n"
      "#define SCAN_OF_BITS(x) F32_OF_BITS(x)\n#define SCAN_WORDS 2u\n#define SCAN_VECTORS 2u\n"
      "#define SCAN_DEPTH 1u\n#define SCAN_WINDOW 1u\n#define SCAN_IS_EXCLUSIVE 0\n#define "
      "SCAN_IS_SEGMENTED 1\n";
  const std::uint32_t threads = 64, tiles = 90, groups = 70;
  for (const std::size_t one_in : {700, 5'000})
    expect_sums_of_groups(segmented, {threads, {}}, tiles, groups,
                          make_begins(std::size_t{threads} * 8 * tiles, one_in));
  expect_sums_of_groups(segmented, {threads, {{"SUBGROUP_SIZE", "8"}}}, tiles, groups,
                        make_begins(std::size_t{threads} * 8 * tiles, 5'000));
}

}  // namespace
}  // namespace penstock::primitive
