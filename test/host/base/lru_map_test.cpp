// A map of limited weight: which entries go, and what is counted.
#include "base/lru_map.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace penstock {
namespace {

using Map = LruMap<std::string, int>;
using Values = std::vector<int>;

TEST(LruMap, TheLeastRecentlyFoundGoesFirst) {
  Map map(2);
  EXPECT_EQ(map.put("a", 1), Values());
  EXPECT_EQ(map.put("b", 2), Values());
  EXPECT_EQ(*map.find(std::string_view("a")), 1);
  EXPECT_EQ(map.put("c", 3), Values{2});
  EXPECT_EQ(map.find(std::string_view("b")), nullptr);
  EXPECT_EQ(map.size(), 2u);
}

TEST(LruMap, AHeavyEntryDropsAsManyAsItNeeds) {
  Map map(10);
  for (int i = 0; i < 5; i++) EXPECT_EQ(map.put(std::to_string(i), i, 2), Values());
  EXPECT_EQ(map.put("heavy", 9, 5), (Values{0, 1, 2}));
  EXPECT_EQ(map.weight(), 9u);
}

TEST(LruMap, WhatIsTooHeavyDropsNoOther) {
  Map map(10);
  EXPECT_EQ(map.put("a", 1, 10), Values());
  EXPECT_EQ(map.put("b", 2, 11), Values{2});
  EXPECT_EQ(*map.find(std::string("a")), 1);
}

TEST(LruMap, AnEqualKeyIsReplacedWithItsWeight) {
  Map map(10);
  EXPECT_EQ(map.put("a", 1, 7), Values());
  EXPECT_EQ(map.put("a", 2, 6), Values{1});
  EXPECT_EQ(map.weight(), 6u);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(*map.find(std::string("a")), 2);
}

TEST(LruMap, ALowerLimitDropsTheOldest) {
  Map map(10);
  for (int i = 0; i < 5; i++) EXPECT_EQ(map.put(std::to_string(i), i, 2), Values());
  EXPECT_EQ(map.set_max_weight(5), (Values{0, 1, 2}));
  EXPECT_EQ(map.remove_if([](const std::string&, int value) { return value == 4; }), Values{4});
  EXPECT_EQ(map.weight(), 2u);
}

}  // namespace
}  // namespace penstock
