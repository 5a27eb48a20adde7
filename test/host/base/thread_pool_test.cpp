// Tasks that are lost or waited for in a circle, threads that pile up, errors that do not arrive.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <set>
#include <stdexcept>

#include "base/parallel.hpp"

namespace penstock {
namespace {

TEST(ThreadPool, ATasksValueAndErrorArrive) {
  ThreadPool pool(2);
  EXPECT_EQ(pool.start([] { return 42; }).get(), 42);
  EXPECT_EQ(
      *pool.start([value = std::make_unique<int>(7)]() mutable { return std::move(value); }).get(),
      7);
  EXPECT_THROW(pool.start([]() -> int { throw std::runtime_error("x"); }).get(),
               std::runtime_error);
}

TEST(ThreadPool, TasksThatWaitForOneAnotherAllRun) {
  constexpr int count = 50;
  ThreadPool pool(1);
  std::latch all_run(count);
  std::vector<Task<void>> tasks;
  for (int i = 0; i < count; i++) tasks.push_back(pool.start([&] { all_run.arrive_and_wait(); }));
  for (Task<void>& task : tasks) task.get();
}

TEST(ThreadPool, WhatATaskHoldsIsReleasedBeforeItsResultArrives) {
  ThreadPool pool(1);
  std::atomic<bool> is_released;
  const auto hold = [&] {
    is_released = false;
    return std::shared_ptr<void>(nullptr, [&](void*) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_released = true;
    });
  };
  pool.start([held = hold()] {}).get();
  EXPECT_TRUE(is_released);
  EXPECT_EQ(pool.start([held = hold()] { return 1; }).get(), 1);
  EXPECT_TRUE(is_released);
  EXPECT_THROW(pool.start([held = hold()] { throw std::runtime_error("x"); }).get(),
               std::runtime_error);
  EXPECT_TRUE(is_released);
}

TEST(ThreadPool, AThreadIsUsedAgain) {
  ThreadPool pool(1);
  std::set<std::thread::id> threads;
  for (int i = 0; i < 20; i++) {
    threads.insert(pool.start([] { return std::this_thread::get_id(); }).get());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it is idle by then
  }
  EXPECT_LT(threads.size(), 20u);
}

// It must not keep a task from a thread that sleeps, nor sleep while there is one.
TEST(ThreadPool, TasksAreAllRunWhileThreadsAreAwake) {
  for (const double awake_seconds : {1e-6, 1e-4, 1e-3}) {
    ThreadPool pool(2);
    std::atomic<int> ended = 0;
    for (int round = 0; round < 200; round++) {
      std::vector<Task<void>> tasks;
      for (int i = 0; i < 5; i++)
        tasks.push_back(pool.start([&] { ended++; }, i % 2 == 0 ? awake_seconds : 0));
    }
    EXPECT_EQ(ended, 1000);
  }
}

TEST(ThreadPool, TasksThatWaitForOneAnotherAllRunWhileAThreadIsAwake) {
  ThreadPool pool(2);
  for (int round = 0; round < 100; round++) {
    pool.start([] {}, 1e-3).get();
    std::promise<void> first, second;
    auto one = pool.start([&] { first.set_value(), second.get_future().wait(); }, 1e-3);
    auto other = pool.start([&] { first.get_future().wait(), second.set_value(); }, 1e-3);
    one.get(), other.get();
  }
}

TEST(ThreadPool, DestructorsWaitForTasks) {
  std::atomic<int> done = 0;
  const auto slow = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    done++;
  };
  {
    ThreadPool pool(1);
    { const Task<void> task = pool.start(slow); }
    EXPECT_EQ(done, 1);
    Task<void> replaced = pool.start(slow);
    replaced = pool.start(slow);
    EXPECT_GE(done, 2);
  }
  EXPECT_EQ(done, 3);
}

TEST(ThreadPool, RunOnReturnsWhenAllCallsHaveReturned) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; round++) {
    std::atomic<int> inside = 0, calls = 0;
    pool.run_on(4, [&] { inside++, calls++, inside--; });
    EXPECT_EQ(inside, 0);
    EXPECT_GE(calls, 1);
    EXPECT_LE(calls, 4);
  }
}

TEST(ThreadPool, NestedCallsDoNotMultiplyThreads) {
  constexpr unsigned cores = 3;
  ThreadPool pool(cores);
  std::atomic<int> inside = 0, max_inside = 0;
  pool.run_on(cores, [&] {
    for (int i = 0; i < 20; i++)
      pool.run_on(cores, [&] {
        const int now = ++inside;
        for (int max = max_inside; now > max && !max_inside.compare_exchange_weak(max, now);) {}
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        inside--;
      });
  });
  EXPECT_LE(max_inside, static_cast<int>(cores) + 1);  // the helpers, and the first caller
}

TEST(ThreadPool, ThreadsOfTwiceTheCoresAreUsedAgain) {
  constexpr int at_once = 4, rounds = 10;
  ThreadPool pool(2);
  std::set<std::thread::id> threads;
  for (int round = 0; round < rounds; round++) {
    std::latch all_run(at_once);
    std::vector<Task<std::thread::id>> tasks;
    for (int i = 0; i < at_once; i++)
      tasks.push_back(pool.start([&] {
        all_run.arrive_and_wait();
        return std::this_thread::get_id();
      }));
    for (Task<std::thread::id>& task : tasks) threads.insert(task.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they are idle by then
  }
  EXPECT_LT(threads.size(), 2u * rounds);  // those beyond two would end after each round
}

TEST(ThreadPool, ATakenCoreHasNoHelper) {
  ThreadPool pool(2);
  const auto calls_of_run = [&] {
    std::atomic<int> calls = 0;
    pool.run_on(2, [&] { calls++; });
    return calls.load();
  };
  {
    const ThreadPool::TakenCore first(pool), second(pool);
    for (int i = 0; i < 20; i++) EXPECT_EQ(calls_of_run(), 1);
  }
  std::latch both_run(2);  // one call waits for the other: a helper comes
  pool.run_on(2, [&] { both_run.arrive_and_wait(); });
}

TEST(InParallel, EveryRowIsMetOnceAlsoInNestedCalls) {
  constexpr std::uint64_t rows = 64;
  std::vector<std::atomic<int>> met(rows * rows);
  in_parallel(rows, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      in_parallel(rows, 1, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; i++) met[row * rows + i]++;
      });
  });
  for (const std::atomic<int>& one : met) EXPECT_EQ(one, 1);
}

TEST(InParallel, TheFirstErrorIsThrownAfterAllRangesEnded) {
  for (int round = 0; round < 50; round++)
    EXPECT_THROW(in_parallel(1000, 1, [](std::uint64_t, std::uint64_t) { throw std::bad_alloc(); }),
                 std::bad_alloc);
}

TEST(InParallel, NoRowsAreOneEmptyRange) {
  int calls = 0;
  in_parallel(0, 1, [&](std::uint64_t first, std::uint64_t last) {
    EXPECT_EQ(first, last);
    calls++;
  });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace penstock
