// Runs of sorted rows merged on the host executor, under sanitizers, against the host's order.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernel_c/host_device.hpp"
#include "table/sort/device_row_merge.hpp"
#include "table/sort/device_row_sort.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

// Columns with many equal values: small numbers and doubles with NULLs, wide numbers.
struct Values {
  std::vector<std::optional<std::int16_t>> small;
  std::vector<std::optional<double>> real;
  std::vector<std::int64_t> wide;

  explicit Values(std::size_t rows) : small(rows), real(rows), wide(rows) {
    for (std::size_t i = 0; i < rows; i++) {
      const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u >> 20;
      if (i % 7 != 2) small[i] = static_cast<std::int16_t>(mixed % 9) - 4;
      if (i % 5 != 1) real[i] = static_cast<double>(mixed % 13) / 4 - 1;
      if (i % 11 == 3) real[i] = -0.0;
      if (i % 17 == 5) real[i] = std::numeric_limits<double>::quiet_NaN();
      wide[i] = (static_cast<std::int64_t>(mixed % 23) - 11) << 40;
    }
  }
  Table table() const {
    return Table::of({{"small", Column::from(small)},
                      {"real", Column::from(real)},
                      {"wide", Column::from(wide)}});
  }
  Values in_order(const std::vector<std::uint64_t>& order) const {
    Values moved(order.size());
    for (std::size_t i = 0; i < order.size(); i++) {
      moved.small[i] = small[order[i]];
      moved.real[i] = real[order[i]];
      moved.wide[i] = wide[order[i]];
    }
    return moved;
  }
};

std::vector<std::uint64_t> order_of(const Table& table, const std::vector<SortKey>& keys) {
  return order_on_host(normalized_keys(table, keys), table.row_count, table.row_count);
}

// Puts the rows of each run in order.
Values with_sorted_runs(const Values& values, const std::vector<std::uint64_t>& ends,
                        const std::vector<SortKey>& keys) {
  std::vector<std::uint64_t> order;
  for (const std::uint64_t end : ends) {
    const std::uint64_t begin = order.size();
    std::vector<std::uint64_t> rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    for (const std::uint64_t row : order_of(values.in_order(rows).table(), keys))
      order.push_back(begin + row);
  }
  return values.in_order(order);
}

class RowMerge : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  std::shared_ptr<Device> device_ = kernel::make_host_device(GetParam());
  std::shared_ptr<DeviceRowMerge> merge_ = DeviceRowMerge::begin(device_);

  template <class T> BufferPointer uploaded(const std::vector<T>& values) {
    auto buffer = device_->allocate(values.size() * sizeof(T)).value();
    auto queue = device_->queue().value();
    EXPECT_TRUE(queue->upload(*buffer, values.data(), values.size() * sizeof(T)).ok());
    EXPECT_TRUE(queue->finish().ok());
    return buffer;
  }
  template <class T> std::vector<T> downloaded(const Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    auto queue = device_->queue().value();
    EXPECT_TRUE(queue->download(values.data(), buffer, count * sizeof(T)).ok());
    EXPECT_TRUE(queue->finish().ok());
    return values;
  }
  // The numbers of the rows, which rows_of() puts into the last column.
  std::vector<std::uint64_t> order_of_rows(const DeviceRows& rows) {
    const auto numbers = downloaded<std::uint32_t>(*rows.columns.back().values, rows.row_count);
    return {numbers.begin(), numbers.end()};
  }
  template <class T>
  DeviceColumn column_of(Type type, const std::vector<std::optional<T>>& values) {
    std::vector<T> plain;
    std::vector<std::uint8_t> valid;
    for (const std::optional<T>& value : values) {
      // Kernels may write any value in place of a NULL.
      plain.push_back(value.value_or(static_cast<T>(plain.size() % 5)));
      valid.push_back(value.has_value());
    }
    return {type, uploaded(plain), uploaded(valid)};
  }
  DeviceRows rows_of(const Values& values) {
    std::vector<std::uint32_t> numbers(values.wide.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    return {values.wide.size(),
            {column_of({Kind::int16}, values.small),
             column_of({Kind::float64}, values.real),
             {{Kind::int64}, uploaded(values.wide), nullptr},
             {{Kind::uint32}, uploaded(numbers), nullptr}}};
  }

  void expect_the_hosts_order(std::size_t rows, const std::vector<std::uint64_t>& ends,
                              const std::vector<SortKey>& keys) {
    const Values values = with_sorted_runs(Values(rows), ends, keys);
    RunReport report;
    const auto merged = merge_->merge(rows_of(values), ends, keys, report);
    ASSERT_TRUE(merged.ok()) << merged.status().text();
    ASSERT_TRUE(merged->has_value());
    ASSERT_EQ((*merged)->row_count, rows);
    EXPECT_EQ(order_of_rows(**merged), order_of(values.table(), keys));
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, RowMerge,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::reverse},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::shuffled}));

// The first run is longer than a tile, as is the second; both end amid one.
TEST_P(RowMerge, EqualRowsOfTheFirstRunComeFirst) {
  expect_the_hosts_order(2900, {1000, 2900}, {{2, false, false}});
}

TEST_P(RowMerge, AnOddNumberOfRunsOfWhichSomeHaveNoRows) {
  expect_the_hosts_order(700, {0, 150, 150, 420, 700}, {{2, true, false}});
  expect_the_hosts_order(700, {0, 0, 700}, {{2, false, false}});
}

TEST_P(RowMerge, ARunOfOneRowBesideALongOne) {
  expect_the_hosts_order(700, {0, 0, 1, 700}, {{2, false, false}});
  expect_the_hosts_order(1, {1}, {{2, false, false}});
}

// Groups as on GPUs, with tiles of 1792 rows.
class RowMergeOfLargeGroups : public RowMerge {};
INSTANTIATE_TEST_SUITE_P(Devices, RowMergeOfLargeGroups,
                         ::testing::Values(kernel::HostDeviceOptions{
                             false, 256, kernel::ThreadOrder::shuffled}));
TEST_P(RowMergeOfLargeGroups, ARunOfOneRowBesideALongOne) {
  expect_the_hosts_order(2900, {0, 0, 1, 2900}, {{2, false, false}});
}

// The bounds of a split: all rows of one run come before the rows of the other.
TEST_P(RowMerge, RunsThatDoNotOverlapKeepTheirOrderOrChangePlaces) {
  std::vector<std::int64_t> numbers(500);
  for (std::size_t i = 0; i < numbers.size(); i++) numbers[i] = (i + 250) % 500;
  for (const bool is_second_first : {true, false}) {
    if (!is_second_first) std::ranges::sort(numbers);
    RunReport report;
    const auto merged = merge_->merge({500, {{{Kind::int64}, uploaded(numbers), nullptr}}},
                                      {250, 500}, {{0, false, false}}, report);
    ASSERT_TRUE(merged.ok() && merged->has_value());
    std::vector<std::int64_t> wanted(500);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(downloaded<std::int64_t>(*(*merged)->columns[0].values, 500), wanted);
  }
}

// NULLs of a narrow key are a bit of its word, NULLs of a wide key a word of their own.
TEST_P(RowMerge, NullsAndFloatsOfSeveralKeysStandWhereTheHostHasThem) {
  expect_the_hosts_order(600, {200, 390, 600}, {{0, false, true}, {1, true, false}});
  expect_the_hosts_order(500, {260, 500}, {{1, false, true}, {0, true, true}, {2, true, false}});
}

// Threads of all groups note together which bits of keys vary. Numbers from -11 to 11 times 2^40
// vary in the highest three bytes, small ones in both of theirs and the bit of NULLs. Negative and
// positive doubles vary in all bytes; one more pass places NULLs.
TEST_P(RowMerge, ASortLeavesOutOnlyBytesInWhichKeysAreEqual) {
  const Values values(200);
  for (const auto& [keys, passes] : std::vector<std::pair<std::vector<SortKey>, std::uint64_t>>{
           {{{2, true, false}}, 3},
           {{{0, false, true}}, 3},
           {{{1, true, true}, {2, false, false}}, 12}}) {
    RunReport report;
    const auto sorted =
        DeviceRowSort::begin(device_)->sort(rows_of(values), keys, 200, StringPool(), report);
    ASSERT_TRUE(sorted.ok() && sorted->has_value()) << sorted.status().text();
    std::uint64_t launches = 0;
    for (const KernelReport& kernel : report.kernels) launches += kernel.launches;
    EXPECT_EQ(launches, passes);
    EXPECT_EQ((*sorted)->row_count, 200u);
    EXPECT_EQ(order_of_rows(**sorted), order_of(values.table(), keys));
  }
}

TEST_P(RowMerge, EqualKeysTakeNoPass) {
  const std::vector<std::int64_t> numbers(100, -7);
  RunReport report;
  const auto sorted =
      DeviceRowSort::begin(device_)->sort({100, {{{Kind::int64}, uploaded(numbers), nullptr}}},
                                          {{0, true, false}}, 100, StringPool(), report);
  ASSERT_TRUE(sorted.ok() && sorted->has_value());
  EXPECT_TRUE(report.kernels.empty());
}

TEST_P(RowMerge, KeysOfMoreWordsAreLeftToASort) {
  const Values values(40);
  RunReport report;
  const auto merged = merge_->merge(
      rows_of(values), {20, 40},
      {{1, false, false}, {2, false, false}, {0, false, false}, {3, false, false}}, report);
  ASSERT_TRUE(merged.ok());
  EXPECT_FALSE(merged->has_value());
}

}  // namespace
}  // namespace penstock::plan
