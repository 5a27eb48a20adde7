#include <gtest/gtest.h>

#include "base/suggest_name.hpp"

namespace penstock {
namespace {

const std::string commands[] = {"query", "emit", "devices", "bench", "cache"};

TEST(Nearest, DistanceCountsOneForEachEditAndNoneForCase) {
  EXPECT_EQ(edit_distance("query", "QUERY"), 0u);
  EXPECT_EQ(edit_distance("quer", "query"), 1u);
  EXPECT_EQ(edit_distance("qeury", "query"), 2u);
  EXPECT_EQ(edit_distance("", "emit"), 4u);
  EXPECT_EQ(edit_distance("emit", ""), 4u);
}

TEST(Nearest, TheNameWithFewestEditsIsTaken) {
  const std::string names[] = {"device", "devices"};
  EXPECT_EQ(nearest_name("devicez", names), "device");  // one edit either way: the first
  EXPECT_EQ(nearest_name("dvices", names), "devices");
}

TEST(Nearest, ABeginningAndAContinuationAreNear) {
  EXPECT_EQ(nearest_name("dev", commands), "devices");
  EXPECT_EQ(nearest_name("benchmarks", commands), "bench");
}

TEST(Nearest, OfSeveralNearNamesThreeAreTaken) {
  const std::string names[] = {"id", "price_3", "url", "price_11", "price", "price_2", "pride"};
  EXPECT_EQ(nearest_names("prise", names), (std::vector<std::string>{"price", "pride"}));
  EXPECT_EQ(nearest_names("price_1", names).size(), 3u);
  EXPECT_TRUE(nearest_names("nope", names).empty())
      << "not 'id', which is nearest and nothing like it";
}

TEST(Nearest, WhatIsFarFromEveryNameGetsNone) {
  for (const char* word : {"", "x", "list", "help", "SELECT 1"})
    EXPECT_EQ(nearest_name(word, commands), "") << word;
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'q'), commands), "");
  EXPECT_EQ(nearest_name("query", {}), "");
}

}  // namespace
}  // namespace penstock
