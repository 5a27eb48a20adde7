// Parts of reads that threads share, and copies past the caches: every part once, every byte,
// whatever the place.
#include "io/common/part_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <numeric>

#include "base/streaming_copy.hpp"

namespace penstock::io {
namespace {

TEST(PartThreads, EveryPartOfEveryCallerIsDoneOnceBeforeItReturns) {
  PartThreads parts(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int caller = 0; caller < 4; caller++)
    callers.emplace_back([&parts, &wrong, caller] {
      for (int round = 0; round < 50; round++) {
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(caller * 7 + round));
        parts.run(static_cast<std::int64_t>(calls.size()),
                  [&](std::int64_t index) { calls[static_cast<std::size_t>(index)]++; });
        for (const auto& count : calls) wrong += count != 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(PartThreads, WithoutAThreadTheCallerDoesIt) {
  PartThreads parts(0);
  std::vector<std::int64_t> seen;
  parts.run(5, [&](std::int64_t index) { seen.push_back(index); });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(PartThreads, WhatAPartThrowsReachesItsCallerAloneWhenAllHaveEnded) {
  for (const std::uint64_t threads : {0u, 1u, 3u}) {
    PartThreads parts(threads);
    for (int round = 0; round < 20; round++) {
      std::atomic<int> running = 0;
      const auto part = [&](std::int64_t index) {
        running++;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        running--;
        if (index % 3 == 1) throw std::bad_alloc();
      };
      EXPECT_THROW(parts.run(7, part), std::bad_alloc) << threads;
      EXPECT_EQ(running, 0);
    }
    std::atomic<int> calls = 0;
    parts.run(7, [&](std::int64_t) { calls++; });
    EXPECT_EQ(calls, 7) << "the threads go on";
  }
}

TEST(CopyPastCaches, NoByteIsLostOrWrittenBesideAtAnyAlignment) {
  std::vector<std::byte> from(1000);
  for (std::size_t i = 0; i < from.size(); i++) from[i] = static_cast<std::byte>(i * 31 + i / 256);
  constexpr std::byte canary{0xa5};
  for (std::size_t to_at = 0; to_at < 66; to_at += 3)
    for (std::size_t from_at = 0; from_at < 3; from_at++)
      for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 200u, 511u, 900u}) {
        std::vector<std::byte> to(1100, canary);
        copy_past_caches(to.data() + to_at, from.data() + from_at, bytes);
        for (std::size_t i = 0; i < to.size(); i++)
          ASSERT_EQ(to[i], i >= to_at && i < to_at + bytes ? from[i - to_at + from_at] : canary)
              << to_at << ' ' << bytes << ' ' << i;
      }
}

}  // namespace
}  // namespace penstock::io
