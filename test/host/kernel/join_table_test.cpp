// Tables and pairs of joins on the host executor, under sanitizers: races between rows that claim
// positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernel_c/host_device.hpp"
#include "table/join/device_pairs.hpp"
#include "table/join/join_kernels.hpp"

namespace penstock::plan {
namespace {

TableRequest of_first_column(bool wants_pairs) {
  TableRequest request;
  request.keys = {0};
  request.wants_pairs = wants_pairs;
  return request;
}

// A position stands for one key, for neighbouring keys, or for a hash.
enum class Order { exact, by_key, hashed };

std::size_t present_count(const std::vector<std::uint8_t>& present) {
  return static_cast<std::size_t>(std::ranges::count(present, std::uint8_t{1}));
}

class DeviceTables : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  std::shared_ptr<Device> device_ = kernel::make_host_device(GetParam());
  std::shared_ptr<RowKernels> kernels_ = begin_join_kernels(device_);

  BufferPointer uploaded(const void* data, std::uint64_t bytes) {
    auto buffer = device_->allocate(bytes).value();
    auto queue = device_->queue().value();
    EXPECT_TRUE(queue->upload(*buffer, data, bytes).ok());
    EXPECT_TRUE(queue->finish().ok());
    return buffer;
  }
  template <class T> std::vector<T> downloaded(const Buffer& from, std::uint64_t count) {
    std::vector<T> values(count);
    auto queue = device_->queue().value();
    EXPECT_TRUE(queue->download(values.data(), from, count * sizeof(T)).ok());
    EXPECT_TRUE(queue->finish().ok());
    return values;
  }

  DeviceRows rows_of(const std::vector<std::int64_t>& keys,
                     const std::vector<std::uint8_t>& present) {
    return {keys.size(),
            {{{Kind::int64},
              uploaded(keys.data(), keys.size() * 8),
              uploaded(present.data(), present.size())}}};
  }

  // Expects that each key has one position, which holds one of its rows. Unless positions are of
  // one key each, no long run of them is taken.
  void expect_each_key_once(const std::vector<std::int64_t>& keys,
                            const std::vector<std::uint8_t>& present, Order order) {
    const DeviceRows rows = rows_of(keys, present);
    auto table = build_join_table(*kernels_, rows, of_first_column(false));
    ASSERT_TRUE(table.ok()) << table.status().text();
    ASSERT_TRUE(table->has_value());
    const auto header = downloaded<std::uint64_t>(*(*table)->table, header_words);
    EXPECT_EQ(header[header_is_exact] != 0, order == Order::exact);
    EXPECT_EQ(header[header_factor] != 1, order == Order::hashed);
    EXPECT_EQ(header[header_has_nulls], present_count(present) < keys.size());
    std::multiset<std::int64_t> found;
    std::uint64_t run = 0, longest = 0;
    for (const std::uint32_t entry :
         downloaded<std::uint32_t>(*(*table)->positions, header[header_last_position] + 1)) {
      if (entry != 0) found.insert(keys.at(entry - 1));
      longest = std::max(longest, run = entry == 0 ? 0 : run + 1);
    }
    if (order != Order::exact) { EXPECT_LT(longest, 2 * JOIN_RUN_BLOCK); }
    const std::uint64_t positions = header[header_last_position] + 1;
    EXPECT_EQ((*table)->bytes, device_key_bytes(keys.size(), 1) + keys.size() + positions * 4);
    std::set<std::int64_t> wanted;
    std::uint64_t rows_with_key = 0;
    for (std::size_t row = 0; row < keys.size(); row++)
      if (present[row] != 0) {
        wanted.insert(keys[row]);
        rows_with_key++;
      }
    EXPECT_EQ(std::vector(found.begin(), found.end()), std::vector(wanted.begin(), wanted.end()));
    EXPECT_EQ((*table)->repeated_rows, rows_with_key - wanted.size());
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, DeviceTables,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::reverse},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::shuffled}));

TEST_P(DeviceTables, RowsOfOneKeyClaimOnePosition) {
  for (const std::int64_t apart : {1LL, 0x123456789ABCLL}) {
    std::vector<std::int64_t> keys;
    std::vector<std::uint8_t> present;
    for (std::int64_t row = 0; row < 900; row++) {
      keys.push_back((row * 7919 % 250 - 100) * apart);
      present.push_back(row % 6 != 2);
    }
    expect_each_key_once(keys, present, apart == 1 ? Order::exact : Order::by_key);
  }
}

// Rows that come in the order of their key then look at neighbouring positions.
TEST_P(DeviceTables, EvenKeysOfAWideRangeKeepTheirOrder) {
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < 5000; row++) keys.push_back(row * 1'000'003 - 7'000'000);
  expect_each_key_once(keys, std::vector<std::uint8_t>(keys.size(), 1), Order::by_key);
}

// The last of them would be beyond the last position: they take places from the first one on.
TEST_P(DeviceTables, NeighbouringKeysAtTheEndsOfTheRangeShareTheirPositions) {
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < 3000; row++)
    keys.push_back((row - 1500) * 5'000'000'000'000'000);
  for (std::int64_t i = 0; i < 9; i++) {
    keys.push_back(INT64_MAX - i);
    keys.push_back(INT64_MIN + i);
  }
  expect_each_key_once(keys, std::vector<std::uint8_t>(keys.size(), 1), Order::by_key);
}

// One key far from the others leaves these few positions. Some repeat, and some are NULL.
TEST_P(DeviceTables, KeysOfUnevenDensityAreHashed) {
  std::vector<std::int64_t> keys;
  std::vector<std::uint8_t> present;
  for (std::int64_t row = 0; row < 5000; row++) {
    keys.push_back(row * 7919 % 4001);
    present.push_back(row % 6 != 2);
  }
  keys[3] = INT64_MAX;
  expect_each_key_once(keys, present, Order::hashed);
}

// No block of positions is full, and no key lies far from its own. But most lie some steps away.
TEST_P(DeviceTables, ClusteredKeysAreHashed) {
  std::vector<std::int64_t> keys;
  for (std::int64_t cluster = 0; cluster < 400; cluster++)
    for (std::int64_t i = 0; i < 30; i++) keys.push_back(cluster * 1'000'000 + i);
  expect_each_key_once(keys, std::vector<std::uint8_t>(keys.size(), 1), Order::hashed);
}

// Each key has its own position, but one that is not there would be looked for along all of them.
TEST_P(DeviceTables, KeysInOneLongRunAreHashed) {
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < 5000; row++) keys.push_back(row * 4);
  keys.back() = 5000 * 12;
  expect_each_key_once(keys, std::vector<std::uint8_t>(keys.size(), 1), Order::hashed);
}

// Keys of -1 are NULL. A right row of ~0 is none.
using PairList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
PairList pairs_by_loop(const std::vector<std::int64_t>& left,
                       const std::vector<std::int64_t>& right, JoinKind kind) {
  PairList pairs;
  for (std::uint32_t l = 0; l < left.size(); l++) {
    const std::size_t before = pairs.size();
    for (std::uint32_t r = 0; r < right.size(); r++)
      if (left[l] != -1 && left[l] == right[r]) pairs.emplace_back(l, r);
    if (kind == JoinKind::left && pairs.size() == before) pairs.emplace_back(l, ~0u);
  }
  return pairs;
}

std::vector<std::uint8_t> present_of(const std::vector<std::int64_t>& keys) {
  std::vector<std::uint8_t> present;
  for (const std::int64_t key : keys) present.push_back(key != -1);
  return present;
}

// The first and the last row of each side may have no partner. A range may begin within a row.
TEST_P(DeviceTables, RangesOfPairsAreThoseOfALoop) {
  for (const std::int64_t apart : {1LL, 0x123456789ABCLL, 1LL << 40})
    for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
      std::vector<std::int64_t> left, right;
      for (std::int64_t row = 0; row < 70; row++)
        left.push_back(row % 9 == 0 ? -1 : row * 31 % 23 * apart);
      for (std::int64_t row = 0; row < 130; row++)
        right.push_back(row % 7 == 0 ? -1 : row % 4 == 1 ? 5 * apart : row * 17 % 19 * apart);
      auto side = std::make_shared<BuildSide>();
      DeviceRows rows = rows_of(right, present_of(right));
      auto table = build_join_table(*kernels_, rows, of_first_column(true));
      ASSERT_TRUE(table.ok() && *table && (*table)->order);
      side->on_device = DeviceSide{kernels_, std::move(rows), std::move(**table)};
      auto pairs = DevicePairs::count(rows_of(left, present_of(left)), {0}, side, kind,
                                      std::uint64_t{1} << 30);
      ASSERT_TRUE(pairs.ok() && *pairs);
      const PairList wanted = pairs_by_loop(left, right, kind);
      ASSERT_EQ((*pairs)->pair_count(), wanted.size());
      PairList found;
      auto queue = device_->queue().value();
      for (std::uint64_t begin = 0; begin < wanted.size(); begin += 37) {
        const std::uint64_t count = std::min<std::uint64_t>(37, wanted.size() - begin);
        const auto range = (*pairs)->make(*queue, begin, count).value();
        ASSERT_TRUE(queue->finish().ok());
        const auto l = downloaded<std::uint32_t>(*range.left.numbers, count),
                   r = downloaded<std::uint32_t>(*range.right.numbers, count);
        std::vector<std::uint8_t> is_there(count, 1);
        if (range.right.present) is_there = downloaded<std::uint8_t>(*range.right.present, count);
        for (std::uint64_t i = 0; i < count; i++)
          found.emplace_back(l[i], is_there[i] != 0 ? r[i] : ~0u);
      }
      EXPECT_EQ(found, wanted);
    }
}

}  // namespace
}  // namespace penstock::plan
