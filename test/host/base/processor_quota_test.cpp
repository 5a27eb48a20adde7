#include "base/processor_quota.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ProcessorQuota, AGroupWithoutOneIsNotTakenToHaveIt) {
  EXPECT_FALSE(is_quota("max 100000"));
  EXPECT_FALSE(is_quota("max"));
  EXPECT_FALSE(is_quota(""));  // no such file
}

TEST(ProcessorQuota, ThatOfAContainerIsSeen) { EXPECT_TRUE(is_quota("400000 100000")); }

}  // namespace
}  // namespace penstock
