// How many groups are taken to run at once where a driver does not tell.
#include "device/architecture.hpp"

#include <gtest/gtest.h>

namespace penstock::device {
namespace {

Traits traits_of(const char* architecture) {
  Traits traits;
  traits.architecture = architecture;
  traits.compute_units = 10;
  traits.local_bytes = 48 << 10;
  return traits;
}

TEST(ResidentGroups, AreBoundedByTheMultiprocessorsLocalMemoryWhereItIsKnown) {
  const Traits h100 = traits_of("sm_90, NVIDIA H100, OpenCL 3.0"), rtx = traits_of("sm_75, T4");
  EXPECT_EQ(assumed_resident_groups(h100, 256, 33000), 60u);  // 228 KiB, and 1 KiB of each group
  EXPECT_EQ(assumed_resident_groups(rtx, 256, 31 << 10), 20u);
  EXPECT_EQ(assumed_resident_groups(rtx, 256, 32 << 10), 10u);
}

TEST(ResidentGroups, AreBoundedByAGroupsLocalMemoryElsewhere) {
  const Traits other = traits_of("gfx90a, OpenCL 2.0");
  EXPECT_EQ(assumed_resident_groups(other, 256, 33000), 10u);
  EXPECT_EQ(assumed_resident_groups(other, 256, 24 << 10), 20u);
}

TEST(ResidentGroups, AreBoundedByThreadsAndAreAtLeastOne) {
  const Traits h100 = traits_of("sm_90");
  EXPECT_EQ(assumed_resident_groups(h100, 512, 0), 40u);
  EXPECT_EQ(assumed_resident_groups(h100, 32, 0), 160u);
  EXPECT_EQ(assumed_resident_groups(h100, 1024, 300 << 10), 10u);
}

}  // namespace
}  // namespace penstock::device
