// Running sums on every device and on the host executor, against sums made one by one.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "device_fixture.hpp"
#include "kernel/kernel_text.hpp"
#include "kernel_c/host_device.hpp"
#include "primitive/scan.hpp"

namespace penstock::kernel {
std::string_view primitive_text(std::string_view name);      // cmake/Embed.cmake
}

namespace penstock::primitive {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

template <class S, class V>
Result<std::vector<S>> scan_on(std::shared_ptr<Device> device, Scan& scan, const std::vector<V>& values) {
  std::vector<S> sums(values.size() + 1, S{77});      // one more: nothing is written behind the last
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const auto from, on_device(*device, *queue, values));
  PENSTOCK_ASSIGN(const auto to, on_device(*device, *queue, sums));
  PENSTOCK_TRY(scan.enqueue(*queue, *from, *to, values.size()));
  PENSTOCK_TRY(queue->download(sums.data(), *to, sums.size() * sizeof(S)));
  PENSTOCK_TRY(queue->finish());
  return sums;
}

// Whole numbers that floats hold exactly, in any order, or bits that integers wrap.
template <class V> std::vector<V> make_values(std::size_t count) {
  std::mt19937_64 numbers(count);
  std::vector<V> values(count);
  for (V& value : values) value = std::is_integral_v<V> ? static_cast<V>(numbers()) : static_cast<V>(static_cast<int>(numbers() % 7) - 3);
  return values;
}

template <class V, class S> void expect_sums(std::shared_ptr<Device> device, ScanShape shape, const std::vector<std::size_t>& counts) {
  for (const bool is_exclusive : {false, true}) {
    shape.is_exclusive = is_exclusive;
    TAKE(const auto scan, Scan::build(device, shape));
    for (const std::size_t count : counts) {
      const std::vector<V> values = make_values<V>(count);
      TAKE(const std::vector<S> sums, (scan_on<S>(device, *scan, values)));
      S sum{0};
      for (std::size_t i = 0; i < count; i++) {
        const S before = sum;
        sum += static_cast<S>(values[i]);
        ASSERT_EQ(sums[i], is_exclusive ? before : sum) << "at " << i << " of " << count << (is_exclusive ? ", exclusive" : ", inclusive");
      }
      ASSERT_EQ(sums[count], S{77}) << "behind the last of " << count;
    }
  }
}

// Tiles have 512 to 7680 values: counts around those, and some that give every group several.
const std::vector<std::size_t> counts = {0, 1, 3, 4, 5, 511, 512, 513, 2047, 4095, 4097, 7679, 7680, 7681, 65'537, 1'000'003, 12'345'678};

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

TEST(Scan, FloatsComeOutAlikeInEveryRun) {
  std::mt19937_64 numbers(7);
  std::vector<double> values(3'000'001);
  for (double& value : values) value = std::uniform_real_distribution<double>(-1, 1)(numbers) * 1e6;
  on_each_device([&](Device& device) {
    const auto shared = *open_device(device.traits().id);
    TAKE(const auto scan, Scan::build(shared, {Number::f64, Number::f64}));
    TAKE(const std::vector<double> first, (scan_on<double>(shared, *scan, values)));
    for (int run = 0; run < 4; run++) {
      TAKE(const std::vector<double> again, (scan_on<double>(shared, *scan, values)));
      for (std::size_t i = 0; i < values.size(); i++)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(again[i]), std::bit_cast<std::uint64_t>(first[i])) << i;
    }
  });
}

TEST(Scan, WhatCannotBeAddedIsRefused) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    const ScanShape narrower{Number::f64, Number::f32}, other_kind{Number::u32, Number::f32}, of_narrow_signed{Number::i32, Number::i32};
    for (const ScanShape shape : {narrower, other_kind, of_narrow_signed})
      EXPECT_EQ(Scan::build(shared, shape).status().code(), Code::invalid);
    TAKE(const auto scan, Scan::build(shared, {Number::u32, Number::u32}));
    TAKE(const auto queue, shared->queue());
    TAKE(const auto buffer, shared->allocate(64));
    EXPECT_EQ(scan->enqueue(*queue, *buffer, *buffer, (std::uint64_t{1} << 40) + 1).code(), Code::capacity);
  });
}

// Races, divergent barriers and accesses out of bounds, in the texts of GPUs with and without sub-groups, and of CPUs.
class OnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(Devices, OnTheHost,
                         ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ItemOrder::shuffled},
                                           kernel::HostDeviceOptions{false, 512, kernel::ItemOrder::shuffled, 32},
                                           kernel::HostDeviceOptions{true, 1, kernel::ItemOrder::forward}));

TEST_P(OnTheHost, ScansWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  expect_sums<float, float>(device, {Number::f32, Number::f32}, {0, 5, 3000});
  expect_sums<std::int32_t, std::uint64_t>(device, {Number::i32, Number::u64}, {2500});
}

// The executor runs a group to its end before the next: the first has to compute the totals of all others' tiles itself.
TEST(ScanTiles, GroupsThatHaveNotRunHoldNobodyUp) {
  constexpr std::uint32_t items = 32, tile = items * 8, tiles = 10, groups = 3;      // what the text takes where nothing is defined
  const kernel::TextPart part{"scan_tiles.kc", std::string(kernel::primitive_text("primitive/kernels/scan_tiles.kc"))};
  const std::string text = kernel::assemble(Target::host, std::span(&part, 1));
  TAKE(const kernel::HostProgram program, kernel::HostProgram::build(text, {items, {}}));
  const std::vector<float> values = make_values<float>(tile * tiles - 3);
  std::vector<float> sums(values.size(), 77);
  std::vector<std::uint32_t> totals(2 * tiles, 0);
  std::vector<float> input = values;
  const std::vector<kernel::HostArgument> arguments = {kernel::HostArgument::buffer(input), kernel::HostArgument::buffer(sums),
                                                       kernel::HostArgument::buffer(totals),
                                                       kernel::HostArgument::value(static_cast<std::uint64_t>(values.size()))};
  const Status ran = program.run("scan_tiles", groups, arguments, kernel::ItemOrder::shuffled);
  ASSERT_TRUE(ran.ok()) << ran.text();
  float sum = 0;
  for (std::size_t i = 0; i < values.size(); i++) ASSERT_EQ(sums[i], sum += values[i]) << i;
}

}  // namespace
}  // namespace penstock::primitive
