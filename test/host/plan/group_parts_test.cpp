// Many groups on the host, in parts by the hashes of their keys: the same groups as a map's, and
// the first of them by an order.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/plan/groups_of.hpp"

namespace penstock::plan {
namespace {

constexpr std::int64_t wide = std::int64_t{1} << 50;

std::vector<Key> wide_keys(std::size_t count, std::int64_t different, std::uint32_t seed) {
  std::vector<Key> keys = random_keys(count, {{0, different}}, true, seed);
  for (Key& key : keys)
    if (key[0]) key[0] = *key[0] * (wide / different) - wide / 3;
  return keys;
}

std::map<Key, std::int64_t, KeyOrder> sums_of_keys(const std::vector<Key>& keys) {
  std::map<Key, std::int64_t, KeyOrder> sums;
  for (const Key& key : keys) sums[key]++;
  return sums;
}

void add_keys(GroupTable& table, const GroupsOf& groups, const std::vector<Key>& keys,
              std::size_t keys_at_once) {
  for (std::size_t first = 0; first < keys.size(); first += keys_at_once) {
    Words entries;
    const std::size_t last = std::min(keys.size(), first + keys_at_once);
    for (std::size_t i = first; i < last; i++) {
      const Words entry = groups.entry(keys[i]);
      entries.insert(entries.end(), entry.begin(), entry.end());
    }
    ASSERT_TRUE(table.add(entries, entries.size() / (last - first)));
  }
}

void expect_sums(const Table& rows, const std::map<Key, std::int64_t, KeyOrder>& wanted) {
  ASSERT_EQ(rows.row_count, wanted.size());
  std::uint64_t row = 0;
  for (const auto& [key, sum] : wanted) {
    ASSERT_EQ(key_of(rows, row, 1), key) << "row " << row;
    ASSERT_EQ(static_cast<std::int64_t>(scalar_at(rows.columns[1], row++).integer), sum);
  }
}

TEST(GroupParts, KeysOfManyBatchesAreAddedToTheirGroups) {
  const GroupsOf groups({{Kind::int64}});
  const std::vector<Key> keys = wide_keys(150'000, 40'000, 5);
  for (const std::size_t at_once : {900u, 30'000u, 150'000u}) {
    GroupTable table(groups.program, groups.strings);
    add_keys(table, groups, keys, at_once);
    expect_sums(*table.results(), sums_of_keys(keys));
  }
}

TEST(GroupParts, GroupsOfMergesAreAddedToThoseOfKernels) {
  const GroupsOf groups({{Kind::int64}});
  GroupTable table(groups.program, groups.strings);
  const std::vector<Key> keys = wide_keys(60'000, 30'000, 6);
  add_keys(table, groups, keys, 20'000);
  Words merged;
  for (std::size_t i = 0; i < 100; i++) {
    const Words entry = groups.entry(keys[i]);
    merged.insert(merged.end(), entry.begin(),
                  entry.begin() + static_cast<std::ptrdiff_t>(groups.program.key_words()));
    for (std::size_t a = 0; a < groups.program.accumulators.size(); a++)
      merged.insert(merged.end(), {1000, 0});
  }
  ASSERT_TRUE(table.merge_groups(merged));
  auto wanted = sums_of_keys(keys);
  for (std::size_t i = 0; i < 100; i++) wanted[keys[i]] += 1000;
  expect_sums(*table.results(), wanted);
}

TEST(GroupParts, SumsBeyond128BitsOfAPartAreRefused) {
  const GroupsOf groups({{Kind::int64}});
  GroupTable table(groups.program, groups.strings);
  const std::vector<Key> keys = wide_keys(60'000, 30'000, 7);
  add_keys(table, groups, keys, 20'000);
  Words entry = groups.entry(keys[3]);
  const Accumulator& sum = groups.program.accumulators[groups.program.results[0].accumulator];
  ASSERT_EQ(sum.kind, AccumulatorKind::sum_i128);
  entry[groups.program.key_words() + sum.word] = ~std::uint64_t{0};
  entry[groups.program.key_words() + sum.word + 1] = ~std::uint64_t{0} >> 1;
  EXPECT_TRUE(table.add(entry, entry.size()));
  EXPECT_EQ(table.results().status().code(), Code::overflow);
}

// The least keys come first if sums are the same.
void expect_first_by(const GroupsOf& groups, const std::vector<Key>& keys, const TopK& first) {
  GroupTable table(groups.program, groups.strings);
  add_keys(table, groups, keys, 10'000);
  const Table rows = *table.results(&first);
  std::vector<std::pair<Key, std::int64_t>> wanted;
  for (const auto& [key, sum] : sums_of_keys(keys)) wanted.emplace_back(key, sum);
  std::ranges::stable_sort(wanted, [&](const auto& a, const auto& b) {
    for (const SortKey& by : first.keys) {
      if (by.column == 1 && a.second != b.second) return (a.second < b.second) != by.descending;
      if (by.column == 1 || a.first == b.first) continue;
      if (!a.first[0] || !b.first[0]) return !a.first[0] == by.nulls_first;
      return (*a.first[0] < *b.first[0]) != by.descending;
    }
    return false;
  });
  wanted.resize(first.count);
  std::ranges::sort(wanted,
                    [](const auto& a, const auto& b) { return KeyOrder()(a.first, b.first); });
  ASSERT_EQ(rows.row_count, wanted.size());
  for (std::uint64_t row = 0; row < rows.row_count; row++) {
    EXPECT_EQ(key_of(rows, row, 1), wanted[row].first) << "row " << row;
    EXPECT_EQ(static_cast<std::int64_t>(scalar_at(rows.columns[1], row).integer),
              wanted[row].second);
  }
}

TEST(GroupParts, FirstGroupsAreThoseOfAStableOrderOfAll) {
  const GroupsOf groups({{Kind::int64}});
  for (const std::size_t count : {500u, 90'000u}) {
    const std::vector<Key> keys = wide_keys(count, static_cast<std::int64_t>(count / 2), 8);
    for (const bool descending : {false, true}) {
      expect_first_by(groups, keys, {{{1, descending, false}}, 11});
      expect_first_by(groups, keys, {{{0, descending, true}}, 7});
      expect_first_by(groups, keys, {{{1, descending, false}, {0, true, descending}}, 20});
    }
    expect_first_by(groups, keys, {{}, 10});
  }
}

TEST(GroupParts, GroupsThatAreNotWantedAreLeftOut) {
  const GroupsOf groups({{Kind::int64}, {Kind::int32}});
  const Key null_first = {std::nullopt, 4}, null_last = {4, std::nullopt}, other = {0, 4};
  GroupTable found(groups.program, groups.strings);
  add_keys(found, groups, {null_first, null_last, {7, 8}}, 3);
  StringPool pool;
  const ProgramStrings strings{pool};
  const WantedGroups wanted(groups.program, *found.results(), strings);
  GroupTable table(groups.program, groups.strings);
  table.keep_only(wanted);
  add_keys(table, groups, {other, null_last, {8, 7}, null_first, null_last, {4, 0}}, 2);
  const Table rows = *table.results();
  ASSERT_EQ(rows.row_count, 2u);
  EXPECT_EQ(key_of(rows, 0, 2), null_last);
  EXPECT_EQ(scalar_at(rows.columns[2], 0).integer, 2);
  EXPECT_EQ(key_of(rows, 1, 2), null_first);
}

}  // namespace
}  // namespace penstock::plan
