// The buffer pool over a driver made of counters.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "device/pool.hpp"

namespace penstock::device {
namespace {

struct FakeMemory {
  std::mutex mutex;
  std::set<std::uint64_t> live;
  std::vector<std::uint64_t> sizes;  // as asked of the driver
  std::uint64_t next = 1, refuse_above_live = ~std::uint64_t{0};
  int frees = 0;
};

Pool::Driver driver_over(FakeMemory& memory, std::uint64_t limit_bytes,
                         std::uint64_t max_allocation_bytes = ~std::uint64_t{0} >> 1) {
  Pool::Driver driver;
  driver.allocate = [&memory](std::uint64_t bytes) -> Result<std::uint64_t> {
    const std::lock_guard guard(memory.mutex);
    if (memory.live.size() >= memory.refuse_above_live)
      return Status(Code::no_memory, "fake memory is full");
    memory.sizes.push_back(bytes);
    memory.live.insert(memory.next);
    return memory.next++;
  };
  driver.free = [&memory](std::uint64_t handle) {
    const std::lock_guard guard(memory.mutex);
    ASSERT_EQ(memory.live.erase(handle), 1u) << "freed twice";
    memory.frees++;
  };
  driver.limit_bytes = limit_bytes, driver.max_allocation_bytes = max_allocation_bytes,
  driver.device = "fake:0";
  return driver;
}

struct FakeEvent : Event {
  mutable int waits = 0;
  Status wait() const override { return waits++, Status(); }
  Result<double> seconds_since(const Event&) const override { return 0.0; }
};

struct FakeQueue : QueueState {
  int records = 0;
  std::vector<const Event*> waited_for;
  Result<std::shared_ptr<Event>> record_event() override {
    return records++, std::shared_ptr<Event>(std::make_shared<FakeEvent>());
  }
  Status wait_for(const Event& event) override { return waited_for.push_back(&event), Status(); }
  Status finish() override { return {}; }
};

TEST(PoolSizes, ClassesHoldTheirBytesAndLoseAnEighthAtMost) {
  EXPECT_EQ(size_class(0), 256u);
  EXPECT_EQ(size_class(257), 512u);
  EXPECT_EQ(size_class((1 << 20) + 1), (1u << 20) + (1u << 17));
  for (std::uint64_t bytes = 1; bytes < std::uint64_t{1} << 40; bytes = bytes * 5 / 4 + 1) {
    ASSERT_GE(size_class(bytes), bytes);
    ASSERT_EQ(size_class(size_class(bytes)), size_class(bytes));
    if (bytes > 1 << 20) { ASSERT_LE(size_class(bytes) - bytes, bytes / 8 + 1) << bytes; }
  }
}

TEST(Pool, AReleasedBlockIsUsedAgain) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  const auto first = pool->take(1000);
  ASSERT_TRUE(first.ok());
  pool->give_back(*first);
  const auto second = pool->take(900);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first->handle, second->handle);
  EXPECT_EQ(memory.sizes.size(), 1u);
}

TEST(Pool, IdleBytesStayBelowAQuarterOfTheLimit) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 64 << 10));
  std::vector<Block> blocks;
  for (int i = 0; i < 60; i++) blocks.push_back(*pool->take(1024));
  for (Block& block : blocks) pool->give_back(std::move(block));
  EXPECT_LE(pool->use().idle_bytes, 16u << 10);
  EXPECT_EQ(pool->use().held_bytes, pool->use().idle_bytes);
  EXPECT_EQ(memory.live.size() * 1024, pool->use().held_bytes);
}

TEST(Pool, IdleBlocksGoBeforeMemoryIsReportedAsExhausted) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 8 << 10));
  auto small = pool->take(2048);
  ASSERT_TRUE(small.ok());
  pool->give_back(std::move(small).value());
  EXPECT_EQ(pool->use().idle_bytes, 2048u);
  EXPECT_TRUE(pool->take(8 << 10).ok());
  EXPECT_EQ(memory.frees, 1);
}

TEST(Pool, ADriverWithoutMemoryGetsTheIdleBlocksBackAndIsAskedAgain) {
  FakeMemory memory;
  memory.refuse_above_live = 1;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  pool->give_back(*pool->take(512));
  EXPECT_TRUE(pool->take(4096).ok());
  const auto refused = pool->take(4096);
  EXPECT_EQ(refused.status().code(), Code::no_memory);
}

TEST(Pool, TheErrorSaysAskedFreeAndLimit) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 10 << 10));
  const auto held = pool->take(4096);
  const Status status = pool->take(7 << 10).status();
  EXPECT_EQ(status.code(), Code::no_memory);
  for (const char* part :
       {"fake:0", "7.00 KiB", "6.00 KiB free", "4.00 KiB in use", "limit 10.0 KiB"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(Pool, RoundingNeverCostsAnAllocationThatFits) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 10000, 10000));
  EXPECT_TRUE(pool->take(9000).ok());  // its class is 16 KiB
}

TEST(Pool, SizesAboveOneAllocationAreRefusedByName) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20, 4096));
  const Status status = pool->take(4097).status();
  EXPECT_EQ(status.code(), Code::capacity);
  EXPECT_NE(status.message().find("4096"), std::string::npos);
  EXPECT_EQ(pool->take(~std::uint64_t{0}).status().code(), Code::capacity);
}

TEST(Pool, TheNextOwnerWaitsForOtherQueuesOnly) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  const auto a = std::make_shared<FakeQueue>(), b = std::make_shared<FakeQueue>();
  {
    const PooledBuffer first(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(first.touch(a).ok());
  }
  EXPECT_EQ(a->records, 1);
  {
    const PooledBuffer second(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(second.touch(a).ok());
    EXPECT_TRUE(a->waited_for.empty()) << "order within a queue suffices";
    ASSERT_TRUE(second.touch(b).ok());
    EXPECT_EQ(b->waited_for.size(), 1u);
    ASSERT_TRUE(second.touch(b).ok());
    EXPECT_EQ(b->waited_for.size(), 1u) << "once is enough";
  }
  EXPECT_EQ(a->records, 2);
  EXPECT_EQ(b->records, 1);
}

TEST(Pool, AFenceSurvivesAnOwnerThatNeverUsedTheBlock) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  const auto a = std::make_shared<FakeQueue>(), b = std::make_shared<FakeQueue>();
  {
    const PooledBuffer first(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(first.touch(a).ok());
  }
  { const PooledBuffer idle(nullptr, pool, *pool->take(1000), 1000); }
  const PooledBuffer third(nullptr, pool, *pool->take(1000), 1000);
  ASSERT_TRUE(third.touch(b).ok());
  EXPECT_EQ(b->waited_for.size(), 1u);
}

TEST(Pool, AFenceIsTheEventAfterTheBuffersOwnWorkAndNotBehindLaterWork) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  const auto a = std::make_shared<FakeQueue>(), b = std::make_shared<FakeQueue>();
  const PooledBuffer later(nullptr, pool, *pool->take(9000), 9000);
  std::shared_ptr<Event> own;
  {
    const PooledBuffer first(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(first.touch(a).ok());
    own = *a->record();
    ASSERT_TRUE(later.touch(a).ok());
    ASSERT_TRUE(a->record().ok());
  }
  EXPECT_EQ(a->records, 2) << "an event that is there is used";
  const PooledBuffer second(nullptr, pool, *pool->take(1000), 1000);
  ASSERT_TRUE(second.touch(b).ok());
  EXPECT_EQ(b->waited_for, std::vector<const Event*>{own.get()});
}

TEST(Pool, AnEventBeforeTheLastUseIsNoFence) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  const auto a = std::make_shared<FakeQueue>(), b = std::make_shared<FakeQueue>();
  std::shared_ptr<Event> early;
  {
    const PooledBuffer first(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(first.touch(a).ok());
    early = *a->record();
    ASSERT_TRUE(first.touch(a).ok());
  }
  const PooledBuffer second(nullptr, pool, *pool->take(1000), 1000);
  ASSERT_TRUE(second.touch(b).ok());
  ASSERT_EQ(b->waited_for.size(), 1u);
  EXPECT_NE(b->waited_for[0], early.get());
}

TEST(Pool, AQueueThatIsGoneHasFinished) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  auto a = std::make_shared<FakeQueue>();
  const auto b = std::make_shared<FakeQueue>();
  {
    const PooledBuffer first(nullptr, pool, *pool->take(1000), 1000);
    ASSERT_TRUE(first.touch(a).ok());
  }
  a.reset();
  const PooledBuffer second(nullptr, pool, *pool->take(1000), 1000);
  ASSERT_TRUE(second.touch(b).ok());
  EXPECT_TRUE(b->waited_for.empty());
}

TEST(Pool, BuffersOutliveTheirDevicesPointerToThePool) {
  FakeMemory memory;
  auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 20));
  auto buffer = std::make_unique<PooledBuffer>(nullptr, pool, *pool->take(1000), 1000);
  pool.reset();
  buffer.reset();
  EXPECT_TRUE(memory.live.empty());
}

TEST(Pool, ThreadsTakeAndGiveBackWithoutLosingBytes) {
  FakeMemory memory;
  const auto pool = std::make_shared<Pool>(driver_over(memory, 1 << 24));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; t++)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2000; i++) {
        auto block = pool->take(100 * (1 + (i * 7 + t) % 30));
        if (block.ok()) pool->give_back(std::move(block).value());
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool->use().held_bytes, pool->use().idle_bytes);
  pool->trim(0);
  EXPECT_EQ(pool->use().held_bytes, 0u);
  EXPECT_TRUE(memory.live.empty());
}

}  // namespace
}  // namespace penstock::device
