// Rows divided by ranges of a key: where each range ends, and the rows of each, against a search of
// the bounds on the host.
#include "table/sort/key_ranges.hpp"

#include <numeric>
#include <random>

#include "kernel_c/host_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

using plan::KeyRanges;
constexpr std::uint64_t greatest_key = ~std::uint64_t{0};

// Keys of 64 bits, some of which may be NULL, and how they are ordered.
struct KeysToDivide {
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> present;  // none: all are
  SortKey order{0, false, false};

  KeyRanges::Word word(std::size_t row) const {
    const bool is_null = !present.empty() && present[row] == 0;
    return {present.empty() ? 0u : std::uint64_t{is_null != order.nulls_first}, is_null ? 0
                                                                                : order.descending
                                                                                    ? ~values[row]
                                                                                    : values[row]};
  }
};

template <class T>
plan::BufferPointer keys_on(Device& device, Queue& queue, const std::vector<T>& values) {
  plan::BufferPointer buffer =
      *device.allocate(std::max<std::uint64_t>(values.size() * sizeof(T), 64));
  EXPECT_OK(queue.upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}

void expect_divided_keys(const std::shared_ptr<Device>& device, const KeysToDivide& keys,
                         const std::vector<KeyRanges::Word>& bounds) {
  std::vector<std::uint64_t> ends(bounds.size() + 1);
  std::vector<std::uint32_t> wanted(keys.values.size()), rows(keys.values.size());
  const auto range_of = [&](std::uint32_t row) {
    return std::ranges::upper_bound(bounds, keys.word(row)) - bounds.begin();
  };
  for (std::uint32_t row = 0; row < wanted.size(); row++)
    ends[static_cast<std::size_t>(range_of(row))]++;
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::iota(wanted.begin(), wanted.end(), 0u);
  std::ranges::stable_sort(wanted, {}, range_of);

  plan::RowKernels kernels(device, plan::table_kernels({"order_columns", "order_ranges"}));
  TAKE(const auto queue, device->queue());
  plan::DeviceColumn column{{Kind::uint64}, keys_on(*device, *queue, keys.values), nullptr};
  if (!keys.present.empty()) column.validity = keys_on(*device, *queue, keys.present);
  KeyRanges ranges(kernels, *queue, keys.values.size(), {column, keys.order, *column.values});
  RunReport report;
  TAKE(const KeyRanges::Order divided, ranges.divide(bounds, report));
  EXPECT_EQ(divided.ends, ends);
  ASSERT_OK(queue->download(rows.data(), *divided.rows, rows.size() * 4));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(rows, wanted);
}

// On devices, and in the host executor, which runs threads in any order and finds races.
void expect_divided_keys(const KeysToDivide& keys, const std::vector<std::uint64_t>& bounds,
                         std::uint64_t nulls = 0) {
  std::vector<KeyRanges::Word> words;
  for (const std::uint64_t bound : bounds) words.push_back({nulls, bound});
  const auto expect = [&](const std::shared_ptr<Device>& device) {
    expect_divided_keys(device, keys, words);
  };
  on_each_shared(expect);
  expect(kernel::make_host_device({false, 32, kernel::ThreadOrder::shuffled}));
  expect(kernel::make_host_device({true, 1, kernel::ThreadOrder::forward}));
}

// Every fifth key is a bound, or beside one.
KeysToDivide keys_around(const std::vector<std::uint64_t>& bounds, std::size_t rows = 4000) {
  std::mt19937_64 numbers(rows);
  KeysToDivide keys;
  for (std::size_t i = 0; i < rows; i++)
    keys.values.push_back(bounds.empty() || i % 5 != 0
                              ? numbers()
                              : bounds[numbers() % bounds.size()] + numbers() % 3 - 1);
  keys.values[0] = 0, keys.values[1] = greatest_key;
  return keys;
}

TEST(KeyRanges, NoBoundOneAndAsManyAsAByteCounts) {
  expect_divided_keys(keys_around({}), {});
  expect_divided_keys(keys_around({1u << 20}), {1u << 20});
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 1; i < plan::max_key_ranges; i++) many.push_back(i << 56);
  expect_divided_keys(keys_around(many), many);
}

TEST(KeyRanges, TheLeastKeyAndTheGreatestAreBounds) {
  expect_divided_keys(keys_around({0, greatest_key}), {0, greatest_key});
  expect_divided_keys(keys_around({greatest_key}), {greatest_key});
  expect_divided_keys(keys_around({1, 2, 3, greatest_key - 1}), {1, 2, 3, greatest_key - 1});
}

// All bounds but one lie in the first bucket, or in the last.
TEST(KeyRanges, BoundsThatLieCloseTogether) {
  std::vector<std::uint64_t> low, high{7};
  for (std::uint64_t i = 1; i < 200; i++) low.push_back(1000 + 3 * i);
  for (std::uint64_t i = 200; i > 0; i--) high.push_back(greatest_key - 5 * i);
  low.push_back(std::uint64_t{1} << 60);
  expect_divided_keys(keys_around(low), low);
  expect_divided_keys(keys_around(high), high);
}

TEST(KeyRanges, DescendingKeysAndNullsOfAWordOfTheirOwn) {
  const std::vector<std::uint64_t> bounds = {1000, std::uint64_t{1} << 40, std::uint64_t{1} << 63};
  for (const unsigned flags : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(flags);
    KeysToDivide keys = keys_around(bounds);
    keys.order = {0, (flags & 1) != 0, (flags & 2) != 0};
    expect_divided_keys(keys, bounds);
    for (std::size_t i = 0; i < keys.values.size(); i++) keys.present.push_back(i % 3 != 1);
    expect_divided_keys(keys, bounds, 0);
    expect_divided_keys(keys, bounds, 1);
  }
}

TEST(KeyRanges, MoreRangesThanAByteCountsAreRefused) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const std::vector<KeyRanges::Word> bounds(plan::max_key_ranges);
    plan::RowKernels kernels(device, plan::table_kernels({"order_columns", "order_ranges"}));
    TAKE(const auto queue, device->queue());
    const plan::DeviceColumn column{{Kind::uint64}, *device->allocate(64), nullptr};
    const SortKey order{0, false, false};
    KeyRanges ranges(kernels, *queue, 8, {column, order, *column.values});
    RunReport report;
    EXPECT_EQ(ranges.divide(bounds, report).status().code(), Code::invalid);
  });
}

}  // namespace
}  // namespace penstock::test
