// Radix sort on every device and on the host executor, against std::stable_sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernel/kernel_source.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "primitive/radix_sort.hpp"
#include "primitive/sort_variants.hpp"

namespace penstock::primitive {
namespace {

enum class Keys { random, few, equal, ascending, descending, high_byte };

template <class T> std::vector<T> make_keys(Keys kind, std::size_t count) {
  std::mt19937_64 numbers(count + static_cast<std::size_t>(kind));
  std::vector<T> keys(count);
  for (std::size_t i = 0; i < count; i++) {
    switch (kind) {
      case Keys::random: keys[i] = static_cast<T>(numbers()); break;
      case Keys::few: keys[i] = static_cast<T>(numbers() % 3); break;
      case Keys::equal: keys[i] = static_cast<T>(0x0123456789abcdef); break;
      case Keys::ascending: keys[i] = static_cast<T>(i); break;
      case Keys::descending: keys[i] = static_cast<T>(count - i); break;
      case Keys::high_byte:
        keys[i] = static_cast<T>(numbers() << (8 * sizeof(T) - 8)) | static_cast<T>(i % 2);
        break;
    }
  }
  return keys;
}

template <class T, class Value> struct Sorted {
  std::vector<T> keys;
  std::vector<Value> values;
};

template <class T, class Value>
Result<Sorted<T, Value>> sort_on(std::shared_ptr<Device> device, RadixSort& sort,
                                 const std::vector<T>& keys, bool has_values,
                                 std::uint32_t first_byte, std::uint32_t last_byte) {
  Sorted<T, Value> sorted{std::vector<T>(keys.size()),
                          std::vector<Value>(has_values ? keys.size() : 0)};
  std::vector<Value> rows(sorted.values.size());
  std::iota(rows.begin(), rows.end(), Value{0});
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  SortData data, spare;
  PENSTOCK_ASSIGN(data.keys, on_device(*device, *queue, keys));
  PENSTOCK_ASSIGN(spare.keys, device->allocate(data.keys->bytes()));
  if (has_values) {
    PENSTOCK_ASSIGN(data.values, on_device(*device, *queue, rows));
    PENSTOCK_ASSIGN(spare.values, device->allocate(data.values->bytes()));
  }
  PENSTOCK_TRY(sort.enqueue(*queue, data, spare, keys.size(), first_byte, last_byte));
  PENSTOCK_TRY(queue->download(sorted.keys.data(), *data.keys, keys.size() * sizeof(T)));
  if (has_values)
    PENSTOCK_TRY(queue->download(sorted.values.data(), *data.values, rows.size() * sizeof(Value)));
  PENSTOCK_TRY(queue->finish());
  return sorted;
}

template <class T, class Value = std::uint32_t>
void expect_sorted(std::shared_ptr<Device> device, RadixSort& sort, const std::vector<T>& keys,
                   bool has_values, std::uint32_t first_byte = 0,
                   std::uint32_t last_byte = sizeof(T)) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  const T mask = last_byte == sizeof(T) ? ~T{0} : static_cast<T>((T{1} << (8 * last_byte)) - 1);
  const auto part = [&](T key) {
    return first_byte == sizeof(T) ? T{0} : (key & mask) >> (8 * first_byte);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return part(keys[a]) < part(keys[b]); });
  const auto outcome = sort_on<T, Value>(device, sort, keys, has_values, first_byte, last_byte);
  TAKE(const auto sorted, outcome);
  for (std::size_t i = 0; i < keys.size(); i++) {
    ASSERT_EQ(sorted.keys[i], keys[order[i]]) << "at " << i << " of " << keys.size();
    if (has_values) {
      ASSERT_EQ(sorted.values[i], static_cast<Value>(order[i]))
          << "at " << i << " of " << keys.size();
    }
  }
}

// By every variant that fits.
template <class T, class Value = std::uint32_t>
void sort_everything(std::shared_ptr<Device> device, bool has_values,
                     const std::vector<std::size_t>& sorted_counts) {
  const SortShape shape{sizeof(T), has_values ? static_cast<std::uint32_t>(sizeof(Value)) : 0};
  for (const SortVariant& variant : sort_variants()) {
    if (!variant.fits(device->traits(), shape)) continue;
    SCOPED_TRACE(std::string(variant.name) +
                 ", bytes of a value: " + std::to_string(shape.value_bytes));
    TAKE(const auto sort, RadixSort::build(device, shape, variant.name));
    ASSERT_EQ(sort->variant(), variant.name);
    for (const std::size_t count : sorted_counts)
      for (const Keys kind : {Keys::random, Keys::few, Keys::equal, Keys::ascending,
                              Keys::descending, Keys::high_byte})
        expect_sorted<T, Value>(device, *sort, make_keys<T>(kind, count), has_values);
  }
}

// Tiles have 512 to 9216 keys: counts around those, and some that fill many.
const std::vector<std::size_t> sorted_counts = {0,    1,    2,    255,  511,     512,      513,
                                                5119, 5121, 8191, 8192, 8193,    8831,     8832,
                                                8833, 9215, 9216, 9217, 100'003, 1'000'001};

template <class T>
void sort_everything(const std::shared_ptr<Device>& device,
                     const std::vector<std::size_t>& sorted_counts) {
  for (const bool has_values : {false, true}) sort_everything<T>(device, has_values, sorted_counts);
}

TEST(RadixSort, KeysOf32BitsAreInStableOrder) {
  on_each_device([](Device& device) {
    sort_everything<std::uint32_t>(*open_device(device.traits().id), sorted_counts);
  });
}

TEST(RadixSort, KeysOf64BitsAreInStableOrder) {
  on_each_device([](Device& device) {
    sort_everything<std::uint64_t>(*open_device(device.traits().id), sorted_counts);
  });
}

// As columns are moved by the ranges of their rows.
TEST(RadixSort, ValuesOfEveryWidthGoWithKeysOf8Bits) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    const std::vector<std::size_t> counts = {0, 1, 513, 8192, 9216, 9217, 100'003};
    sort_everything<std::uint8_t, std::uint8_t>(shared, true, counts);
    sort_everything<std::uint8_t, std::uint16_t>(shared, true, counts);
    sort_everything<std::uint8_t, std::uint32_t>(shared, true, counts);
    sort_everything<std::uint8_t, std::uint64_t>(shared, true, counts);
    sort_everything<std::uint32_t, std::uint64_t>(shared, true, {100'003});
    sort_everything<std::uint64_t, std::uint8_t>(shared, true, {100'003});
    sort_everything<std::uint64_t, std::uint64_t>(shared, true, {100'003});
  });
}

TEST(RadixSort, SomeBytesOfTheKeysAloneDecide) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    TAKE(const auto sort, RadixSort::build(shared, {8, 4}));
    const auto keys = make_keys<std::uint64_t>(Keys::random, 70'000);
    for (std::uint32_t first = 0; first < 8; first += 3)
      for (std::uint32_t last = first; last <= 8; last++)
        expect_sorted<std::uint64_t>(shared, *sort, keys, true, first, last);
  });
}

// `penstock tune` may choose any of them.
TEST(RadixSort, KeysAreInOrderByEveryPolicy) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    const auto keys = make_keys<std::uint64_t>(Keys::random, 100'003);
    for (const kernel::VariantCase& each : kernel::variant_cases(device.traits()))
      for (const kernel::VariantRow& row : each.rows)
        for (const kernel::PolicyNumber& number : row.policy)
          for (const std::uint32_t choice : number.choices) {
            if (each.family != "radix_sort" || each.use != "keys of 64 bits with values of 32 bits")
              continue;
            SCOPED_TRACE(row.name + " " + number.name + "=" + std::to_string(choice));
            const kernel::PolicyTrial trial("radix_sort", {{number.name, choice}});
            TAKE(const auto sort, RadixSort::build(shared, {8, 4}, row.name));
            expect_sorted<std::uint64_t>(shared, *sort, keys, true);
          }
  });
}

TEST(RadixSort, WhatNoSortTakesIsRefused) {
  on_each_device([](Device& device) {
    const auto shared = *open_device(device.traits().id);
    EXPECT_EQ(RadixSort::build(shared, {2, 0}).status().code(), Code::invalid);
    EXPECT_EQ(RadixSort::build(shared, {4, 3}).status().code(), Code::invalid);
    EXPECT_EQ(RadixSort::build(shared, {4, 0}, "none").status().code(), Code::invalid);
    TAKE(const auto sort, RadixSort::build(shared, {4, 0}));
    TAKE(const auto queue, shared->queue());
    SortData data, spare;
    EXPECT_EQ(sort->enqueue(*queue, data, spare, max_sort_keys + 1).code(), Code::capacity);
    EXPECT_EQ(sort->enqueue(*queue, data, spare, 1, 0, 5).code(), Code::invalid);
  });
}

// Races, divergent barriers and accesses out of bounds, in the texts of GPUs with and without
// sub-groups, and of CPUs.
class SortOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, SortOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 512, kernel::ThreadOrder::shuffled, 32},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(SortOnTheHost, SortsWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  for (const bool has_values : {false, true}) {
    TAKE(const auto sort, RadixSort::build(device, {4, has_values ? 4u : 0u}));
    expect_sorted<std::uint32_t>(device, *sort, make_keys<std::uint32_t>(Keys::random, 9000),
                                 has_values, 0, 2);
  }
  TAKE(const auto wide, RadixSort::build(device, {8, 4}));
  expect_sorted<std::uint64_t>(device, *wide, make_keys<std::uint64_t>(Keys::random, 1100), true, 7,
                               8);
  TAKE(const auto bytes, RadixSort::build(device, {1, 1}));
  expect_sorted<std::uint8_t, std::uint8_t>(device, *bytes,
                                            make_keys<std::uint8_t>(Keys::random, 9000), true);
  TAKE(const auto narrow, RadixSort::build(device, {1, 8}));
  expect_sorted<std::uint8_t, std::uint64_t>(device, *narrow,
                                             make_keys<std::uint8_t>(Keys::random, 9000), true);
}

// A group that took the first ticket and never ran again: the others count its tile themselves, and
// put their keys in place.
TEST(SortPass, AGroupThatNeverRunsHoldsNobodyUp) {
  constexpr std::uint32_t threads = 32, tile = threads * 4, tiles = 4,
                          digits = 256;  // what the text takes where nothing is defined
  const kernel::SourcePart part{
      "radix_sort.kc", std::string(kernel::primitive_source("primitive/kernels/radix_sort.kc"))};
  const std::string text = kernel::assemble(Target::host, std::span(&part, 1));
  TAKE(const kernel::HostProgram program, kernel::HostProgram::build(text, {threads, {}}));
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(Keys::random, tile * tiles - 5),
                             values(keys.size()), starts(4 * digits);
  std::iota(values.begin(), values.end(), 0u);
  for (const std::uint32_t key : keys)
    for (std::uint32_t d = (key & 255u) + 1; d < digits; d++) starts[d]++;
  std::vector<std::uint32_t> sorted(keys.size(), 0), places(keys.size(), ~0u),
      published(4 * (tiles * digits + 1));
  published[tiles * digits] = 1;  // the next ticket
  const std::vector<kernel::HostArgument> arguments = {
      kernel::HostArgument::buffer(keys),
      kernel::HostArgument::buffer(sorted),
      kernel::HostArgument::buffer(values),
      kernel::HostArgument::buffer(places),
      kernel::HostArgument::buffer(starts),
      kernel::HostArgument::buffer(published),
      kernel::HostArgument::value(static_cast<std::uint32_t>(keys.size())),
      kernel::HostArgument::value(std::uint32_t{0})};
  const Status ran = program.run("sort_pass", tiles - 1, arguments, kernel::ThreadOrder::shuffled);
  ASSERT_TRUE(ran.ok()) << ran.text();

  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (keys[a] & 255u) < (keys[b] & 255u);
  });
  for (std::size_t i = 0; i < order.size(); i++) {
    const bool of_first_tile = order[i] < tile;
    ASSERT_EQ(places[i], of_first_tile ? ~0u : order[i]) << i;
    if (!of_first_tile) { ASSERT_EQ(sorted[i], keys[order[i]]) << i; }
  }
}

}  // namespace
}  // namespace penstock::primitive
