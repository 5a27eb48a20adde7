// Tables of a join's right side that are large enough for several threads to make.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "table/join/join_table.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t row_count = 200'000;

// Keys 0, stride, 2 * stride... in a random order.
std::vector<std::int64_t> shuffled_keys(std::int64_t stride) {
  std::vector<std::int64_t> keys(row_count);
  for (std::uint32_t row = 0; row < row_count; row++) keys[row] = row * stride - 5000;
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(3));
  return keys;
}

JoinTable table_of(const std::vector<std::int64_t>& keys, bool wants_all = true) {
  StringPool strings;
  const Column column = Column::from(keys);
  Result<JoinTable> table = JoinTable::build(std::span(&column, 1), strings, wants_all);
  EXPECT_TRUE(table.ok());
  return std::move(table).value();
}

std::uint32_t find(const JoinTable& table, std::int64_t key) {
  const auto word = static_cast<std::uint64_t>(key);
  return table.find(std::span(&word, 1));
}

TEST(JoinTable, EveryKeyFindsItsRowAndNoOtherDoes) {
  for (const std::int64_t stride : {1, 3, 1'000'003}) {  // a place each, with gaps, and shared
    SCOPED_TRACE(stride);
    const std::vector<std::int64_t> keys = shuffled_keys(stride);
    const JoinTable table = table_of(keys);
    EXPECT_TRUE(table.is_unique());
    EXPECT_EQ(table.table()[header_is_exact], stride < 1000 ? 1u : 0u);
    for (std::uint32_t row = 0; row < row_count; row++) ASSERT_EQ(find(table, keys[row]), row);
    for (const std::int64_t absent :
         {INT64_MIN, std::int64_t{-5001}, row_count * stride - 5000, INT64_MAX})
      EXPECT_EQ(find(table, absent), JoinTable::no_row) << absent;
  }
}

// In even steps they would be one run, along which each key that is not there is looked for.
TEST(JoinTable, KeysInOneLongRunAreHashed) {
  std::vector<std::int64_t> keys(row_count);
  for (std::uint32_t row = 0; row < row_count; row++) keys[row] = std::int64_t{4} * row;
  keys.back() = std::int64_t{12} * row_count;
  const JoinTable table = table_of(keys);
  std::uint64_t run = 0, longest = 0;
  for (const std::uint32_t position : table.positions())
    longest = std::max(longest, run = position == 0 ? 0 : run + 1);
  EXPECT_LE(longest, 256u);
  for (std::uint32_t row = 0; row < row_count; row++) ASSERT_EQ(find(table, keys[row]), row);
  EXPECT_EQ(find(table, 1), JoinTable::no_row);
}

// No run is long and no key lies far from its own position. But most lie some steps from it.
TEST(JoinTable, ClusteredKeysAreHashed) {
  std::vector<std::int64_t> keys;
  for (std::uint32_t row = 0; row < row_count; row++)
    keys.push_back(std::int64_t{row / 30} * 1'000'000 + row % 30);
  const JoinTable table = table_of(keys);
  EXPECT_NE(table.table()[header_factor], 1u);
  for (std::uint32_t row = 0; row < row_count; row++) ASSERT_EQ(find(table, keys[row]), row);
}

// Most of them lie where few positions are: there they would be searched for one after another.
TEST(JoinTable, KeysOfUnevenDensityAreHashed) {
  std::vector<std::int64_t> keys = shuffled_keys(1);
  EXPECT_EQ(table_of(shuffled_keys(1'000'003)).table()[header_factor], 1u);
  keys[3] = INT64_MAX;
  const JoinTable table = table_of(keys);
  EXPECT_NE(table.table()[header_factor], 1u);
  EXPECT_TRUE(table.is_unique());
  for (std::uint32_t row = 0; row < row_count; row++) ASSERT_EQ(find(table, keys[row]), row);
  EXPECT_EQ(find(table, -5001), JoinTable::no_row);
}

// The two rows are of different threads.
TEST(JoinTable, RowsOfOneKeyAreChainedInTheirOrder) {
  for (const std::int64_t stride : {1, 1'000'003}) {
    std::vector<std::int64_t> keys = shuffled_keys(stride);
    keys[row_count - 1] = keys[10];
    const JoinTable table = table_of(keys);
    EXPECT_FALSE(table.is_unique());
    EXPECT_EQ(find(table, keys[10]), 10u);
    EXPECT_EQ(table.next(10), row_count - 1);
    EXPECT_EQ(table.next(row_count - 1), JoinTable::no_row);
    EXPECT_EQ(table.next(11), JoinTable::no_row);
  }
}

TEST(JoinTable, WhereAnyRowOfAKeyWillDoNoneIsChained) {
  std::vector<std::int64_t> keys(row_count);
  for (std::uint32_t row = 0; row < row_count; row++) keys[row] = row / 2;
  const JoinTable table = table_of(keys, false);
  EXPECT_TRUE(table.is_unique());
  for (std::uint32_t row = 0; row < row_count; row += 2)
    ASSERT_EQ(find(table, keys[row]) / 2, row / 2);
}

TEST(JoinTable, ANullKeyIsInNoPlaceAndSaid) {
  std::vector<std::optional<std::int64_t>> keys(row_count);
  for (std::uint32_t row = 0; row < row_count; row++) keys[row] = row;
  EXPECT_EQ(table_of({1, 2}).table()[header_has_nulls], 0u);
  keys[7].reset();
  StringPool strings;
  const Column column = Column::from(keys);
  const Result<JoinTable> table = JoinTable::build(std::span(&column, 1), strings);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->table()[header_has_nulls], 1u);
  EXPECT_EQ(find(*table, 7), JoinTable::no_row);
  EXPECT_EQ(find(*table, 8), 8u);
}

// Tables with a position for each value, in the order of the keys, hashed, and of two keys.
TEST(JoinTable, ManyRowsOfEachKeyAreChainedInTheirOrder) {
  for (const std::int64_t stride : {1, 3, 1'000'003}) {
    SCOPED_TRACE(stride);
    std::vector<std::optional<std::int64_t>> keys;
    for (std::uint32_t row = 0; row < row_count; row++)
      keys.push_back(row % 11 == 0 ? std::nullopt
                                   : std::optional(row * std::uint64_t{7919} % 50'000 * stride));
    const std::vector<Column> columns = {Column::from(keys), Column::from(shuffled_keys(0))};
    for (const std::size_t key_count : {1, 2}) {
      StringPool strings;
      TAKE(const JoinTable table,
           JoinTable::build(std::span(columns).first(key_count), strings, true));
      std::map<std::int64_t, std::vector<std::uint32_t>> wanted;
      for (std::uint32_t row = 0; row < row_count; row++)
        if (keys[row]) wanted[*keys[row]].push_back(row);
      for (const auto& [key, rows] : wanted) {
        const std::uint64_t words[] = {static_cast<std::uint64_t>(key),
                                       static_cast<std::uint64_t>(std::int64_t{-5000})};
        std::uint32_t found = table.find(std::span(words, key_count));
        for (const std::uint32_t row : rows) {
          ASSERT_EQ(found, row);
          found = table.next(found);
        }
        ASSERT_EQ(found, JoinTable::no_row);
      }
      EXPECT_EQ(table.table()[header_has_nulls], 1u);
    }
  }
}

}  // namespace
}  // namespace penstock::plan
