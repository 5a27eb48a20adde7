// Batches that threads fill ahead: their order, their failures, parts that wait for others, and
// an end before the last.
#include "base/ordered_window.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

namespace penstock {
namespace {

using namespace std::chrono_literals;

using Sums = std::vector<int>;  // a number for each part
using Window = OrderedWindow<Sums, int>;

// So many batches of so many parts, numbered through.
Window::Functions batches_of(int count, int parts) {
  auto opened = std::make_shared<int>(0);
  return {.open = [=](bool) -> std::optional<Window::Opened> {
            if (*opened == count) return std::nullopt;
            Window::Opened next{Sums(static_cast<std::size_t>(parts)), {}};
            for (int i = 0; i < parts; i++) next.parts.push_back(*opened * parts + i);
            (*opened)++;
            return next;
          },
          .fill = [=](Sums& sums, int& part, std::size_t) -> Result<bool> {
            std::this_thread::sleep_for(std::chrono::microseconds(part * 37 % 300));
            sums[static_cast<std::size_t>(part % parts)] = part;
            return true;
          }};
}

TEST(OrderedWindow, BatchesComeInOrderAndWhole) {
  for (const std::size_t threads : {1u, 2u, 8u}) {
    WindowLock lock;
    Window window(lock, batches_of(20, 3));
    window.start({.first = 1, .later = 5}, threads);
    for (int i = 0; i < 20; i++) {
      const auto batch = window.next();
      ASSERT_TRUE(batch.ok() && *batch) << i;
      EXPECT_EQ(**batch, (Sums{3 * i, 3 * i + 1, 3 * i + 2}));
    }
    for (int again = 0; again < 2; again++) EXPECT_FALSE(window.next().value().has_value());
  }
}

TEST(OrderedWindow, NoMoreThanTheWindowIsOpen) {
  WindowLock lock;
  std::atomic<int> filled = 0;
  Window::Functions functions = batches_of(100, 1);
  functions.fill = [&](Sums&, int&, std::size_t) -> Result<bool> {
    filled++;
    return true;
  };
  Window window(lock, std::move(functions));
  window.start({.first = 2, .later = 6}, 4);
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(filled, 2);
  ASSERT_TRUE(window.next().ok());
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(filled, 7);
}

TEST(OrderedWindow, TheFailureOfABatchsFirstPartIsReportedInItsTurn) {
  for (int round = 0; round < 20; round++) {
    WindowLock lock;
    Window::Functions functions = batches_of(20, 4);
    const auto fill = functions.fill;
    functions.fill = [fill](Sums& sums, int& part, std::size_t thread) -> Result<bool> {
      if (part < 13) return fill(sums, part, thread);
      if (part == 13) std::this_thread::sleep_for(2ms);  // later ones fail before it
      return Status(Code::corrupt, "part " + std::to_string(part));
    };
    Window window(lock, std::move(functions));
    window.start({.first = 8, .later = 8}, 8);
    for (int i = 0; i < 3; i++) ASSERT_TRUE(window.next().ok()) << i;
    for (int again = 0; again < 2; again++) EXPECT_EQ(window.next().status().message(), "part 13");
  }
}

TEST(OrderedWindow, WhatAPartThrowsIsAFailure) {
  WindowLock lock;
  Window::Functions functions = batches_of(3, 1);
  functions.fill = [](Sums&, int&, std::size_t) -> Result<bool> { throw std::bad_alloc(); };
  Window window(lock, std::move(functions));
  window.start({}, 2);
  EXPECT_EQ(window.next().status().code(), Code::no_memory);
}

TEST(OrderedWindow, LackOfMemoryForABatchIsAFailure) {
  WindowLock lock;
  Window::Functions functions = batches_of(3, 1);
  functions.open = [](bool) -> std::optional<Window::Opened> { throw std::bad_alloc(); };
  Window window(lock, std::move(functions));
  window.start({}, 2);
  EXPECT_EQ(window.next().status().code(), Code::no_memory);
}

// Odd parts begin when the even ones before them have ended.
TEST(OrderedWindow, PartsThatWaitForOthersLetLaterOnesPass) {
  WindowLock lock;
  std::vector<bool> has_ended(80);
  std::atomic<int> too_early = 0;
  Window::Functions functions = batches_of(20, 4);
  functions.begin = [&](int& part) {
    return part % 2 == 0 || has_ended[static_cast<std::size_t>(part - 1)];
  };
  functions.fill = [&](Sums& sums, int& part, std::size_t) -> Result<bool> {
    std::this_thread::sleep_for(std::chrono::microseconds(part * 37 % 300));
    const std::lock_guard guard(lock.mutex);
    if (part % 2 == 1) too_early += !has_ended[static_cast<std::size_t>(part - 1)];
    has_ended[static_cast<std::size_t>(part)] = true;
    sums[static_cast<std::size_t>(part % 4)] = part;
    return true;
  };
  Window window(lock, std::move(functions));
  window.start({.first = 4, .later = 4}, 4);
  for (int i = 0; i < 20; i++) EXPECT_EQ((*window.next().value())[3], 4 * i + 3);
  EXPECT_EQ(too_early, 0);
}

TEST(OrderedWindow, AnEndThatIsFoundWhileItIsReadHidesWhatIsBehindIt) {
  for (int round = 0; round < 20; round++) {
    WindowLock lock;
    Window::Functions functions = batches_of(1000, 1);
    functions.fill = [](Sums&, int& part, std::size_t) -> Result<bool> {
      if (part > 9) return Status(Code::corrupt, "behind the end");
      if (part == 9) std::this_thread::sleep_for(1ms);
      return part < 9;
    };
    Window window(lock, std::move(functions));
    window.start({.first = 8, .later = 8}, 4);
    for (int i = 0; i < 9; i++) ASSERT_TRUE(window.next().value().has_value()) << i;
    for (int again = 0; again < 2; again++) EXPECT_FALSE(window.next().value().has_value());
  }
}

TEST(OrderedWindow, GivingUpEarlyEndsTheThreads) {
  std::atomic<int> running = 0, begun = 0;
  {
    WindowLock lock;
    Window::Functions functions = batches_of(1000, 1);
    functions.fill = [&](Sums&, int&, std::size_t) -> Result<bool> {
      running++, begun++;
      std::this_thread::sleep_for(1ms);
      running--;
      return true;
    };
    Window window(lock, std::move(functions));
    window.start({.first = 8, .later = 8}, 4);
    ASSERT_TRUE(window.next().ok());
  }
  EXPECT_EQ(running, 0);
  const int begun_before = begun;
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(begun, begun_before);
}

}  // namespace
}  // namespace penstock
