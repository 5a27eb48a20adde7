// Which GPUs a command line needs.
#include <gtest/gtest.h>

#include "cli/needed_gpus.hpp"

namespace penstock::cli {
namespace {

using Numbers = std::optional<std::vector<unsigned>>;

Numbers these(std::vector<unsigned> numbers) { return numbers; }

Numbers needed(std::initializer_list<const char*> words) {
  return needed_gpus(std::span(words.begin(), words.size()));
}

TEST(NeededGpus, WithoutADeviceIsTheFirst) {
  EXPECT_EQ(needed({"query", "SELECT 1"}), these({0}));
  EXPECT_EQ(needed({"video", "a.y4m", "b.y4m", "--device", "gpu"}), these({0}));
  EXPECT_EQ(needed({"decompress", "a.gz", "--device=cuda"}), these({0}));
}

TEST(NeededGpus, AreTheListedOnesOnceInOrder) {
  EXPECT_EQ(needed({"query", "-d", "cuda:3", "SELECT 1"}), these({3}));
  EXPECT_EQ(needed({"query", "--device", "cuda:2,0,cuda:2", "SELECT 1"}), these({0, 2}));
}

TEST(NeededGpus, OfCommandsThatListOrCompareDevicesAreNotKnown) {
  EXPECT_EQ(needed({}), Numbers());
  EXPECT_EQ(needed({"--help"}), Numbers());
  EXPECT_EQ(needed({"devices"}), Numbers());
  EXPECT_EQ(needed({"bench", "lz4", "--device", "cuda:0"}), Numbers());
}

// "-dcuda:1" and "-vd cuda:1" name a device; "-o -d cuda:1" names a file.
TEST(NeededGpus, OfShortOptionsThatMayHideADeviceAreNotKnown) {
  EXPECT_EQ(needed({"query", "-dcuda:1", "SELECT 1"}), Numbers());
  EXPECT_EQ(needed({"query", "-vd", "cuda:1", "SELECT 1"}), Numbers());
  EXPECT_EQ(needed({"profile", "-dcuda:3", "--", "query", "SELECT 1"}), Numbers());
  EXPECT_EQ(needed({"query", "-o", "-d", "cuda:1", "SELECT 1"}), Numbers());
  EXPECT_EQ(needed({"query", "-o", "out.csv", "-d", "cuda:1", "SELECT 1"}), these({1}));
  EXPECT_EQ(needed({"query", "-", "-d", "cuda:1"}), Numbers());
}

TEST(NeededGpus, OfOtherDriversOrUnclearListsAreNotKnown) {
  for (const char* selector : {"cpu", "opencl:0", "cuda:0,opencl:1", "cuda:*", "cuda:0,", "cuda:",
                               "cuda:x", "cuda:0,,1", "cuda:99999999999", "cuda:-1", "sycl"})
    EXPECT_EQ(needed({"query", "--device", selector, "SELECT 1"}), Numbers()) << selector;
  EXPECT_EQ(needed({"query", "SELECT 1", "--device"}), Numbers());
  EXPECT_EQ(needed({"query", "--device=cuda:0", "--device=cuda:1", "SELECT 1"}), Numbers());
}

}  // namespace
}  // namespace penstock::cli
