// The pool of pinned host memory, with a driver that counts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/machine_memory.hpp"
#include "device/host_pool.hpp"

namespace penstock::device {
namespace {

struct Counts {
  int made = 0, alive = 0;
  std::uint64_t limit_bytes = ~std::uint64_t{0};
};

class CountedBuffer : public HostBuffer {
 public:
  CountedBuffer(Counts& counts, std::uint64_t bytes) : counts_(counts) {
    data_ = static_cast<std::byte*>(std::malloc(bytes)), bytes_ = bytes;
    counts_.made++, counts_.alive++;
  }
  ~CountedBuffer() override {
    std::free(data_);
    counts_.alive--;
  }

 private:
  Counts& counts_;
};

class HostPoolTest : public ::testing::Test {
 protected:
  std::shared_ptr<HostBuffer> take(std::uint64_t bytes) {
    auto buffer =
        pool_->take(bytes, [this](std::uint64_t wanted) -> Result<std::shared_ptr<HostBuffer>> {
          if (wanted > counts_.limit_bytes || counts_.alive > 1)
            return Status(Code::no_memory, "no more");
          return std::shared_ptr<HostBuffer>(std::make_shared<CountedBuffer>(counts_, wanted));
        });
    return buffer.ok() ? std::move(buffer).value() : nullptr;
  }

  Counts counts_;
  std::shared_ptr<IdleMemory> idle_ = std::make_shared<IdleMemory>(10000);
  std::shared_ptr<HostPool> pool_ = std::make_shared<HostPool>(idle_);
};

TEST_F(HostPoolTest, MemoryGivenBackServesTheNextOfItsClass) {
  std::byte* const first = take(5000)->data();
  const auto again = take(6000);
  EXPECT_EQ(again->data(), first);
  EXPECT_EQ(again->bytes(), 6000u);
  EXPECT_EQ(counts_.made, 1);
}

TEST_F(HostPoolTest, MemoryInUseIsNotHandedOutTwice) {
  const auto a = take(5000), b = take(5000);
  EXPECT_NE(a->data(), b->data());
}

TEST_F(HostPoolTest, IdleMemoryPastTheLimitIsFreed) {
  take(5000);
  take(9000);  // a class of 16384 bytes
  EXPECT_EQ(counts_.alive, 0);
}

TEST_F(HostPoolTest, PoolsShareTheLimitAndGiveBackTheirPart) {
  const auto first = std::exchange(pool_, std::make_shared<HostPool>(idle_));
  take(5000);  // a class of 8192 bytes
  pool_ = first;
  take(5000);
  EXPECT_EQ(counts_.alive, 1) << "two classes of 8192 bytes are past the limit of 10000";
  EXPECT_EQ(idle_->bytes, 8192u);
}

TEST_F(HostPoolTest, APoolThatEndsLeavesItsPartOfTheLimit) {
  take(5000);
  pool_.reset();
  EXPECT_EQ(idle_->bytes, 0u);
  EXPECT_EQ(counts_.alive, 0);
}

TEST_F(HostPoolTest, IdleMemoryGoesBeforeAnAllocationFails) {
  auto held = take(5000);
  take(3000);
  EXPECT_EQ(counts_.alive, 2);  // one in use, one idle: the driver has no third
  EXPECT_NE(take(200), nullptr);
}

TEST_F(HostPoolTest, WithoutMemoryForTheClassTheBytesThemselvesAreTried) {
  counts_.limit_bytes = 5000;
  EXPECT_NE(take(5000), nullptr);
}

TEST_F(HostPoolTest, BuffersMayOutliveWhoeverMadeThePool) {
  const auto buffer = take(5000);
  pool_.reset();
  EXPECT_EQ(counts_.alive, 1);
}

// 4 GiB were too little for a result of 2^28 rows of 16 bytes: each run pinned its memory anew.
TEST(IdlePinnedMemory, AQuarterOfTheMachinesMemoryButHalfOfASmallOne) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(idle_pinned_limit_bytes(128 * gib), 32 * gib);
  EXPECT_EQ(idle_pinned_limit_bytes(12 * gib), 4 * gib);
  EXPECT_EQ(idle_pinned_limit_bytes(2 * gib), gib);
  EXPECT_EQ(idle_pinned_limit_bytes(0), 4 * gib);
}

TEST(IdlePinnedMemory, FollowsTheMachineThatRunsThis) {
  EXPECT_GT(machine_memory_bytes(), std::uint64_t{1} << 28);
  EXPECT_EQ(idle_pinned_memory()->limit_bytes, idle_pinned_limit_bytes(machine_memory_bytes()));
}

}  // namespace
}  // namespace penstock::device
