// Jobs in pieces.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "base/piece_workers.hpp"

namespace penstock {
namespace {

TEST(PieceWorkers, DoEveryPieceOfEveryJobOnce) {
  PieceWorkers workers(7);
  std::vector<std::atomic<int>> calls(3000);
  std::vector<PieceJob> jobs;
  for (std::uint64_t first = 0; first < calls.size(); first += 100)
    jobs.push_back(workers.begin(100, [&calls, first](std::uint64_t piece) {
      calls[first + piece]++;
      return Status();
    }));
  for (PieceJob& job : jobs) EXPECT_TRUE(job.wait().ok());
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(PieceWorkers, AJobWithoutPiecesHasEnded) {
  PieceWorkers workers(2);
  PieceJob job = workers.begin(0, [](std::uint64_t) { return Status(Code::internal, "called"); });
  EXPECT_TRUE(job.has_ended());
  EXPECT_TRUE(job.wait().ok());
}

TEST(PieceWorkers, JobsAreDoneInTheirOrder) {
  PieceWorkers workers(1);
  std::vector<int> order;  // of one thread
  PieceJob first = workers.begin(50, [&](std::uint64_t) { return order.push_back(1), Status(); });
  PieceJob second = workers.begin(50, [&](std::uint64_t) { return order.push_back(2), Status(); });
  EXPECT_TRUE(second.wait().ok());
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 100u);
}

TEST(PieceWorkers, AFailureEndsItsJobAndNoOther) {
  PieceWorkers workers(1);
  int calls = 0;
  PieceJob fails = workers.begin(100, [&](std::uint64_t piece) {
    calls++;
    return piece == 5 ? Status(Code::io, "the sixth") : Status();
  });
  PieceJob other = workers.begin(3, [](std::uint64_t) { return Status(); });
  EXPECT_EQ(fails.wait().code(), Code::io);
  EXPECT_EQ(calls, 6);
  EXPECT_TRUE(other.wait().ok());
}

TEST(PieceWorkers, AnExceptionIsAFailure) {
  PieceWorkers workers(3);
  PieceJob job =
      workers.begin(10, [](std::uint64_t) -> Status { throw std::runtime_error("of a piece"); });
  EXPECT_EQ(job.wait().code(), Code::internal);
}

// Objects that pieces use may be destroyed after their job.
TEST(PieceWorkers, AJobThatIsDroppedWaitsForItsPiecesAndBeginsNoMore) {
  PieceWorkers workers(4);
  for (int round = 0; round < 200; round++) {
    auto counter = std::make_unique<std::atomic<int>>(0);
    {
      const PieceJob job = workers.begin(1000, [&](std::uint64_t) { return ++*counter, Status(); });
    }
    const int counted = *counter;
    EXPECT_LE(counted, 1000);
    PieceJob next = workers.begin(8, [](std::uint64_t) { return Status(); });
    EXPECT_TRUE(next.wait().ok());
    EXPECT_EQ(*counter, counted);
  }
}

TEST(PieceWorkers, AJobThatIsReplacedHasEnded) {
  PieceWorkers workers(2);
  std::atomic<int> first = 0;
  PieceJob job = workers.begin(100, [&](std::uint64_t) { return ++first, Status(); });
  job = workers.begin(4, [](std::uint64_t) { return Status(); });
  const int counted = first;
  EXPECT_TRUE(job.wait().ok());
  EXPECT_EQ(first, counted);
}

}  // namespace
}  // namespace penstock
