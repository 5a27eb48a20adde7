// The cache of a session: what it keeps, and what it drops first.
#include "penstock/device_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace penstock::test {
namespace {

DeviceCache::Key key_of(std::uint64_t row, const std::string& identity = "file") {
  return {"number", identity, 0, row, 1};
}
void put(DeviceCache& cache, std::uint64_t row, std::uint64_t bytes) {
  cache.put(key_of(row), std::make_shared<const std::uint64_t>(row), bytes);
}
bool has(DeviceCache& cache, std::uint64_t row) {
  return cache.find<std::uint64_t>(key_of(row)) != nullptr;
}

TEST(DeviceCache, TheLeastRecentlyUsedGoesFirst) {
  DeviceCache cache(100);
  put(cache, 1, 40);
  put(cache, 2, 40);
  EXPECT_TRUE(has(cache, 1));  // now the other one is older
  put(cache, 3, 40);
  EXPECT_TRUE(has(cache, 1));
  EXPECT_FALSE(has(cache, 2));
  EXPECT_TRUE(has(cache, 3));
  EXPECT_EQ(cache.counters().evictions, 1u);
  EXPECT_EQ(cache.counters().bytes, 80u);
}

TEST(DeviceCache, WhatIsLargerThanTheLimitDropsNothing) {
  DeviceCache cache(100);
  put(cache, 1, 100);
  put(cache, 2, 101);
  EXPECT_TRUE(has(cache, 1));
  EXPECT_FALSE(has(cache, 2));
}

TEST(DeviceCache, AnEntryInUseOutlivesItsEviction) {
  DeviceCache cache(10);
  put(cache, 7, 10);
  const auto held = cache.find<std::uint64_t>(key_of(7));
  put(cache, 8, 10);
  EXPECT_FALSE(has(cache, 7));
  EXPECT_EQ(*held, 7u);
}

TEST(DeviceCache, ALowerLimitDropsAtOnce) {
  DeviceCache cache(100);
  for (std::uint64_t row = 0; row < 10; row++) put(cache, row, 10);
  cache.set_limit(35);
  EXPECT_EQ(cache.counters().entries, 3u);
  EXPECT_TRUE(has(cache, 9));
  cache.set_limit(0);
  put(cache, 1, 1);
  EXPECT_EQ(cache.counters().bytes, 0u);
}

TEST(DeviceCache, AFilesEntriesAreDroppedAndNoOthers) {
  DeviceCache cache(100);
  put(cache, 1, 10);
  cache.put(key_of(1, "other"), std::make_shared<const std::uint64_t>(5), 10);
  cache.drop("file");
  EXPECT_FALSE(has(cache, 1));
  ASSERT_NE(cache.find<std::uint64_t>(key_of(1, "other")), nullptr);
  EXPECT_EQ(cache.counters().bytes, 10u);
}

TEST(DeviceCache, ThreadsFindNothingButWhatWasPutThere) {
  DeviceCache cache(300);
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> wrong = 0;
  for (std::uint64_t thread = 0; thread < 4; thread++)
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 20000; i++) {
        const std::uint64_t row = (i * 7 + thread) % 50;
        if (const auto found = cache.find<std::uint64_t>(key_of(row)))
          wrong += *found != row;
        else
          put(cache, row, 10);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_LE(cache.counters().bytes, 300u);
  EXPECT_EQ(cache.counters().bytes, cache.counters().entries * 10);
}

}  // namespace
}  // namespace penstock::test
