#include "device/resident_groups.hpp"

#include <gtest/gtest.h>

namespace penstock::device {
namespace {

Traits traits_of(const char* architecture) {
  Traits traits;
  traits.architecture = architecture;
  traits.compute_units = 132;
  traits.local_bytes = 48 << 10;
  traits.has_launch_bounds = true;
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
    for (std::uint32_t groups = 1; (size + 31) / 32 * 32 * groups <= 2048; groups++)
      EXPECT_LE(registers_of_thread(size, groups) * ((size + 31) / 32 * 32) * groups, 65536u)
          << size << " threads, " << groups << " groups";
  EXPECT_EQ(registers_of_thread(448, 2), 72);
  EXPECT_EQ(registers_of_thread(1024, 1), 64);
}

TEST(ResidentGroups, MoreGroupsThanThreadsFitDoNotMakeThreadsSpill) {
  EXPECT_EQ(registers_of_thread(512, 5), registers_of_thread(512, 4));
  EXPECT_EQ(registers_of_thread(1024, 3), 32);
}

TEST(ResidentGroups, WithoutABoundOfRegistersOneGroupLessIsTaken) {
  Traits traits = traits_of("sm_90, NVIDIA H100, CUDA");
  traits.has_launch_bounds = false;
  EXPECT_EQ(resident_groups_by_size(traits, 224, 47 << 10), 3 * 132);
  EXPECT_EQ(resident_groups_by_size(traits, 256, 100 << 10), 2 * 132);
}

TEST(RegisterBound, TheLastDefinitionOfATextCounts) {
  const std::string definition = "#define GROUPS_PER_MULTIPROCESSOR ";
  EXPECT_EQ(register_bound("int x;\n", 448), 0);
  EXPECT_EQ(register_bound(definition + "2u\nint x;\n", 448), 72);
  EXPECT_EQ(
      register_bound(
          definition + "1\n#undef GROUPS_PER_MULTIPROCESSOR\n" + definition + "4\nint x;\n", 256),
      64);
  EXPECT_EQ(register_bound(definition + "0\n", 256), 0);
}

}  // namespace
}  // namespace penstock::device
