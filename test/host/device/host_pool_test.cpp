// The pool of pinned host memory, with a driver that counts.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/machine_memory.hpp"
#include "device/host_pool.hpp"
#include "device/idle_memory.hpp"

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
  std::shared_ptr<HostPool> pool_ = std::make_shared<HostPool>(10000);
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

TEST(IdlePinnedMemory, ASixteenthOfTheMachinesMemoryWithinBounds) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(idle_pinned_limit_bytes(1024 * gib), 16 * gib);
  EXPECT_EQ(idle_pinned_limit_bytes(128 * gib), 8 * gib);
  EXPECT_EQ(idle_pinned_limit_bytes(12 * gib), 4 * gib);
  EXPECT_EQ(idle_pinned_limit_bytes(2 * gib), gib);
  EXPECT_EQ(idle_pinned_limit_bytes(0), 4 * gib);
}

TEST(MachineMemory, IsKnown) { EXPECT_GT(machine_memory_bytes(), std::uint64_t{1} << 28); }

}  // namespace
}  // namespace penstock::device
