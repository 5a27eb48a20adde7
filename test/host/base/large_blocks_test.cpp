#include "base/large_blocks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace penstock {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

bool keeps_blocks() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#else
  return true;
#endif
}

TEST(LargeBlocks, OutsideOfARunNothingIsKept) {
  const std::size_t before = idle_large_block_bytes();
  give_back_large_block(take_large_block(64 * mib), 64 * mib);
  EXPECT_EQ(idle_large_block_bytes(), before);
}

TEST(LargeBlocks, ABlockIsUsedAgainForASizeOfItsClass) {
  if (!keeps_blocks()) GTEST_SKIP() << "a sanitizer's build keeps no block";
  const LargeBlocksOfRun run;
  void* const first = take_large_block(70 * mib);
  give_back_large_block(first, 70 * mib);
  void* const second = take_large_block(71 * mib);
  EXPECT_EQ(second, first);
  give_back_large_block(second, 71 * mib);
}

TEST(LargeBlocks, ASizeOfAnotherClassGetsNoKeptBlock) {
  const LargeBlocksOfRun run;
  void* const small = take_large_block(20 * mib);
  give_back_large_block(small, 20 * mib);
  void* const large = take_large_block(200 * mib);
  std::memset(large, 1, 200 * mib);  // all of it is there
  EXPECT_NE(large, small);
  give_back_large_block(large, 200 * mib);
}

TEST(LargeBlocks, TheLastRunLeavesALimitedRest) {
  {
    const LargeBlocksOfRun outer;
    const LargeBlocksOfRun inner;
    for (const std::size_t bytes : {300 * mib, 200 * mib, 30 * mib})
      give_back_large_block(take_large_block(bytes), bytes);
  }
  EXPECT_LE(idle_large_block_bytes(), LargeBlocksOfRun::bytes_between_runs);
}

TEST(LargeBlocks, ARunThatEndsWithinAnotherFreesNothing) {
  if (!keeps_blocks()) GTEST_SKIP() << "a sanitizer's build keeps no block";
  const LargeBlocksOfRun outer;
  {
    const LargeBlocksOfRun inner;
    give_back_large_block(take_large_block(300 * mib), 300 * mib);
  }
  EXPECT_GE(idle_large_block_bytes(), 300 * mib);
}

TEST(LargeBlocks, TooManyBytesAreABadAllocation) {
  const LargeBlocksOfRun run;
  EXPECT_THROW(take_large_block(static_cast<std::size_t>(PTRDIFF_MAX)), std::bad_alloc);
}

}  // namespace
}  // namespace penstock
