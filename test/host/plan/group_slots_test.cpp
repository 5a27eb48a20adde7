// Groups on the host by the slots of their keys: the same groups in the same order as by hash and
// by sorting, whatever the keys' types, NULLs and ranges.
#include <gtest/gtest.h>

#include "host/plan/groups_of.hpp"

namespace penstock::plan {
namespace {

// Adds keys in batches, and compares the groups with a map's.
void expect_groups_of(const GroupsOf& groups, const std::vector<Key>& keys,
                      std::size_t keys_at_once) {
  GroupTable table(groups.program, groups.strings);
  std::map<Key, std::int64_t, KeyOrder> wanted;
  for (std::size_t first = 0; first < keys.size(); first += keys_at_once) {
    Words entries;
    for (std::size_t i = first; i < std::min(keys.size(), first + keys_at_once); i++) {
      const Words entry = groups.entry(keys[i]);
      entries.insert(entries.end(), entry.begin(), entry.end());
      wanted[keys[i]]++;
    }
    ASSERT_TRUE(table.add(entries, entries.size() / std::min(keys_at_once, keys.size() - first)));
  }
  const Table rows = *table.results();
  ASSERT_EQ(rows.row_count, wanted.size());
  std::uint64_t row = 0;
  for (const auto& [key, sum] : wanted) {
    ASSERT_EQ(key_of(rows, row, key.size()), key) << "row " << row;
    ASSERT_EQ(static_cast<std::int64_t>(scalar_at(rows.columns.back(), row).integer), sum);
    row++;
  }
}

TEST(GroupSlots, NegativeKeysComeBeforeOthersAndNullsLast) {
  for (const Kind kind :
       {Kind::int8, Kind::int16, Kind::int32, Kind::int64, Kind::date32, Kind::timestamp})
    expect_groups_of(GroupsOf({{kind}}), random_keys(500, {{-60, 60}}, true, 1), 100);
}

TEST(GroupSlots, SeveralKeysAreOrderedByTheFirst) {
  const GroupsOf groups({{Kind::int32}, {Kind::boolean}, {Kind::uint16}});
  expect_groups_of(groups, random_keys(900, {{-3, 7}, {0, 1}, {65000, 65020}}, true, 2), 300);
}

TEST(GroupSlots, KeysBesidesTheRangesOfBatchesBeforeKeepTheirGroups) {
  std::vector<Key> keys;
  for (std::int64_t i = 0; i < 3000; i++) keys.push_back({i % 3 == 0 ? -i : i});
  for (const std::size_t at_once : {1u, 7u, 1000u})
    expect_groups_of(GroupsOf({{Kind::int64}}), keys, at_once);
}

TEST(GroupSlots, KeysOfWideRangesAreFoundByHash) {
  constexpr std::int64_t least = INT64_MIN, most = INT64_MAX;
  const GroupsOf groups({{Kind::int64}});
  expect_groups_of(groups, {{least}, {most}, {0}, {most}, {-1}, {std::nullopt}, {least}}, 7);
  expect_groups_of(groups, {{5}, {6}, {5}, {most}, {least}, {6}, {most}, {std::nullopt}}, 2);
  expect_groups_of(groups, random_keys(4000, {{least, most}}, true, 3), 1000);
}

TEST(GroupSlots, NullsAloneAreOneGroup) {
  expect_groups_of(GroupsOf({{Kind::int32}}), {{std::nullopt}, {std::nullopt}}, 2);
  expect_groups_of(GroupsOf({{Kind::int32}}), {{std::nullopt}, {4}, {std::nullopt}}, 1);
}

TEST(GroupSlots, LargestUnsignedKeysHaveTheirOwnGroups) {
  const GroupsOf groups({{Kind::uint64}});
  GroupTable table(groups.program, groups.strings);
  Words entries;
  for (const std::int64_t key : {-1, -2, -1, -3}) {  // 2^64 - 1 ...
    const Words entry = groups.entry({key});
    entries.insert(entries.end(), entry.begin(), entry.end());
  }
  ASSERT_TRUE(table.add(entries, entries.size() / 4));
  const Table rows = *table.results();
  ASSERT_EQ(rows.row_count, 3u);
  for (std::uint64_t row = 0; row < 3; row++)
    EXPECT_EQ(static_cast<std::uint64_t>(scalar_at(rows.columns[0], row).integer),
              ~std::uint64_t{0} - 2 + row);
  EXPECT_EQ(scalar_at(rows.columns[1], 2).integer, 2);
}

TEST(GroupSlots, GroupsThatWereAppendedAreFound) {
  const GroupsOf groups({{Kind::int32}});
  GroupTable table(groups.program, groups.strings);
  const std::size_t words = groups.program.key_words() + 2 * groups.program.accumulators.size();
  const auto group_of = [&](std::uint64_t key) {
    Words group(words);
    group[0] = key;
    for (std::size_t i = groups.program.key_words(); i < words; i += 2) group[i] = 1;
    return group;
  };
  table.append(group_of(9));
  table.append(group_of(4));
  ASSERT_TRUE(table.merge_groups(group_of(9)));
  ASSERT_TRUE(table.merge_groups(group_of(7)));
  const Table rows = *table.results();
  ASSERT_EQ(rows.row_count, 3u);
  for (const auto& [row, key, sum] : {std::tuple{0, 4, 1}, {1, 7, 1}, {2, 9, 2}}) {
    EXPECT_EQ(scalar_at(rows.columns[0], row).integer, key);
    EXPECT_EQ(scalar_at(rows.columns[1], row).integer, sum);
  }
}

TEST(GroupSlots, GroupsThatAreAppendedToOthersAreFound) {
  const GroupsOf groups({{Kind::int32}});
  GroupTable table(groups.program, groups.strings);
  ASSERT_TRUE(table.add(groups.entry({3}), groups.entry({3}).size()));
  Words group(groups.program.key_words() + 2 * groups.program.accumulators.size());
  group[0] = 1;
  table.append(group);
  ASSERT_TRUE(table.merge_groups(group));
  ASSERT_TRUE(table.add(groups.entry({3}), groups.entry({3}).size()));
  const Table rows = *table.results();
  ASSERT_EQ(rows.row_count, 2u);
  EXPECT_EQ(scalar_at(rows.columns[0], 0).integer, 1);
  EXPECT_EQ(scalar_at(rows.columns[1], 1).integer, 2);
}

// A sum of 64 bits is one of 128 bits once it is on the host, where it may still overflow.
TEST(GroupSlots, SumsBeyond128BitsAreRefused) {
  const GroupsOf groups({{Kind::int32}});
  GroupTable table(groups.program, groups.strings);
  Words entry = groups.entry({3});
  const Accumulator& sum = groups.program.accumulators[groups.program.results[0].accumulator];
  ASSERT_EQ(sum.kind, AccumulatorKind::sum_i128);
  entry[groups.program.key_words() + sum.word] = ~std::uint64_t{0};
  entry[groups.program.key_words() + sum.word + 1] = ~std::uint64_t{0} >> 1;
  EXPECT_TRUE(table.add(entry, entry.size()));
  EXPECT_FALSE(table.add(entry, entry.size()));
}

}  // namespace
}  // namespace penstock::plan
