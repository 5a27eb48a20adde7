#include "device/resident_groups.hpp"

#include <gtest/gtest.h>

namespace penstock::device {
namespace {

Traits traits_of(const char* architecture) {
  Traits traits;
  traits.architecture = architecture;
  traits.compute_units = 132;
  traits.local_bytes = 48 << 10;
  return traits;
}

TEST(ResidentGroups, AMultiprocessorIsNotTakenForTheLocalMemoryOfOneGroup) {
  EXPECT_EQ(groups_by_local_memory(traits_of("sm_90, NVIDIA H100"), 47 << 10), 4);
  EXPECT_EQ(groups_by_local_memory(traits_of("sm_86"), 47 << 10), 2);
  EXPECT_EQ(resident_groups_by_size(traits_of("sm_90"), 224, 47 << 10), 4 * 132);
}

TEST(ResidentGroups, AnUnknownDeviceHoldsWhatOneGroupMayHave) {
  EXPECT_EQ(groups_by_local_memory(traits_of("gfx90a"), 20 << 10), 2);
  EXPECT_EQ(resident_groups_by_size(traits_of("gfx90a"), 256, 47 << 10), 132);
}

TEST(ResidentGroups, ThreadsBoundGroupsThatNeedNoLocalMemory) {
  EXPECT_EQ(resident_groups_by_size(traits_of("sm_90"), 512, 0), 4 * 132);
  EXPECT_EQ(resident_groups_by_size(traits_of("sm_90"), 32, 0), 16 * 132);
}

TEST(ResidentGroups, RegistersOfAllThreadsFitAMultiprocessor) {
  for (const std::uint32_t size : {32u, 100u, 224u, 448u, 1024u})
    for (std::uint32_t groups = 1; size * groups <= 1024; groups++)
      EXPECT_LE(registers_of_thread(size, groups) * ((size + 31) / 32 * 32) * groups, 65536u)
          << size << " threads, " << groups << " groups";
  EXPECT_EQ(registers_of_thread(448, 2), 72);
  EXPECT_EQ(registers_of_thread(1024, 1), 64);
}

}  // namespace
}  // namespace penstock::device
