// Estimates of distinct keys against their number, whatever the rows' order.
#include "fuse/variants/distinct_sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace penstock::plan {
namespace {

constexpr std::uint64_t tile_rows = 4096;

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 31) * 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 29) * 0xD6E8FEB86659FD93u;
  return word ^ word >> 32;
}

// Reads a tile in `stride` of so many rows, as kernels do.
double estimated(std::uint64_t rows, std::uint64_t stride,
                 const std::function<std::uint64_t(std::uint64_t)>& key) {
  std::vector<std::uint32_t> words(std::size_t{2} * DistinctSketch::registers);
  for (std::uint64_t tile = 0; tile * stride * tile_rows < rows; tile++)
    for (std::uint64_t row = tile * stride * tile_rows;
         row < std::min(rows, (tile * stride + 1) * tile_rows); row++) {
      const auto hash = static_cast<std::uint32_t>(mixed(key(row) + 1) >> 16);
      const std::uint32_t rest = hash / DistinctSketch::registers | DistinctSketch::last_run;
      words[(tile & 1) * DistinctSketch::registers + hash % DistinctSketch::registers] |=
          rest & (0 - rest);
    }
  DistinctSketch sketch;
  sketch.add(words);
  return sketch.expected(stride);
}

TEST(DistinctSketch, EveryRowIsReadWhereTheStrideIsOne) {
  for (const std::uint64_t keys : {1u, 50u, 3000u, 100'000u})
    EXPECT_NEAR(estimated(200'000, 1, [=](std::uint64_t row) { return row * 7919 % keys; }),
                static_cast<double>(keys), 0.08 * static_cast<double>(keys) + 1);
}

TEST(DistinctSketch, KeysThatComeAgainAreCountedOnce) {
  for (const std::uint64_t keys : {1u, 700u, 20'000u, 100'000u})
    EXPECT_NEAR(estimated(1 << 21, 8, [=](std::uint64_t row) { return mixed(row) % keys; }),
                static_cast<double>(keys), 0.15 * static_cast<double>(keys) + 1);
}

TEST(DistinctSketch, KeysOfOneRowEachAreAsManyAsRows) {
  EXPECT_NEAR(estimated(1 << 21, 8, [](std::uint64_t row) { return row; }), 1 << 21,
              0.1 * (1 << 21));
}

// Neighbouring rows of one key look like few keys to an estimate that takes rows for independent.
TEST(DistinctSketch, KeysWhoseRowsLieTogetherAreExpectedInTilesThatWereNotRead) {
  EXPECT_NEAR(estimated(1 << 21, 8, [](std::uint64_t row) { return row / 4; }), 1 << 19,
              0.1 * (1 << 19));
}

TEST(DistinctSketch, OfNoRowsThereAreNoKeys) {
  EXPECT_EQ(DistinctSketch().expected(1), 0);
  EXPECT_EQ(DistinctSketch().expected(8), 0);
}

}  // namespace
}  // namespace penstock::plan
