// Work on the host that nobody wants any more.
#include "base/cancellation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/exception_boundary.hpp"
#include "base/parallel.hpp"
#include "base/thread_pool.hpp"

namespace penstock {
namespace {

Status cancelled_while(const std::function<void()>& work, int asked_before = 0) {
  int asked = 0;
  const CancellationScope scope([&] { return ++asked <= asked_before; });
  return catch_exceptions([&]() -> Status {
    work();
    return {};
  });
}

TEST(Cancellation, LoopsEndInTheMiddle) {
  std::atomic<std::uint64_t> rows = 0;
  const Status ended = cancelled_while(
      [&] { for_wanted_rows(0, std::uint64_t{1} << 40, [&](std::uint64_t) { rows++; }); }, 2);
  EXPECT_EQ(ended.code(), Code::cancelled);
  EXPECT_GT(rows, 0u);
}

TEST(Cancellation, ThreadsOfALoopEndToo) {
  std::atomic<std::uint64_t> rows = 0;
  const Status ended =
      cancelled_while([&] { for_rows(std::uint64_t{1} << 40, [&](std::uint64_t) { rows++; }); }, 2);
  EXPECT_EQ(ended.code(), Code::cancelled);
}

// The thread that may ask has done its own share, and waits.
TEST(Cancellation, AThreadThatWaitsForOthersAsksForThem) {
  const auto here = std::this_thread::get_id();
  std::atomic<bool> has_helper = false;
  const Status ended = cancelled_while(
      [&] {
        ThreadPool::shared().run_on(2, [&] {
          while (std::this_thread::get_id() == here && !has_helper) std::this_thread::yield();
          has_helper = true;
          while (std::this_thread::get_id() != here && !is_cancelled()) std::this_thread::yield();
        });
        check_cancelled();
      },
      1);
  EXPECT_EQ(ended.code(), Code::cancelled);
}

TEST(Cancellation, SortsEndInTheMiddle) {
  std::vector<std::uint64_t> values(1 << 22);
  std::iota(values.rbegin(), values.rend(), 0u);
  std::uint64_t comparisons = 0;
  const Status ended = cancelled_while([&] {
    std::sort(values.begin(), values.end(), while_wanted(std::less<std::uint64_t>(), comparisons));
  });
  EXPECT_EQ(ended.code(), Code::cancelled);
  EXPECT_LT(comparisons, values.size());
}

TEST(Cancellation, WorkThatIsKeptIsNotLeftHalfDone) {
  std::uint64_t rows = 0;
  const Status ended = cancelled_while([&] {
    const CancellationScope whole(std::shared_ptr<Cancellation>{});
    for_wanted_rows(0, 1 << 20, [&](std::uint64_t) { rows++; });
  });
  EXPECT_TRUE(ended.ok()) << ended.text();
  EXPECT_EQ(rows, std::uint64_t{1} << 20);
}

// The question is asked where nothing may be thrown, too: while a thread waits for others.
TEST(Cancellation, AnExceptionOfTheQuestionEndsTheWorkAsAStatus) {
  const CancellationScope scope([]() -> bool { throw std::runtime_error("asked"); });
  const Status ended = catch_exceptions([&]() -> Status {
    for_rows(std::uint64_t{1} << 40, [](std::uint64_t) {});
    return {};
  });
  EXPECT_EQ(ended.code(), Code::internal);
  EXPECT_NE(ended.message().find("asked"), std::string::npos) << ended.text();
}

TEST(Cancellation, OutsideOfAScopeNothingIsAsked) {
  EXPECT_FALSE(is_cancelled());
  static_cast<void>(cancelled_while([] {}));
  EXPECT_FALSE(is_cancelled());
}

}  // namespace
}  // namespace penstock
