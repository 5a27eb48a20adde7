// Running sums on the host: segments across blocks, floats in one order, sums that leave their
// type.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "penstock/expression.hpp"
#include "table/rows/scan_rows.hpp"

namespace penstock::plan {
namespace {

std::vector<std::uint8_t> starts_of(std::uint64_t rows, std::uint64_t one_in, std::uint64_t seed) {
  std::mt19937_64 numbers(seed);
  std::vector<std::uint8_t> starts(rows);
  for (std::uint64_t i = 0; i < rows; i++)
    starts[i] = i == 0 || (one_in > 0 && numbers() % one_in == 0);
  return starts;
}

template <class T> void expect_sums(std::uint64_t rows, std::uint64_t one_in) {
  const std::vector<std::uint8_t> starts = starts_of(rows, one_in, rows + one_in);
  std::vector<T> values(rows), expected(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    values[i] = static_cast<T>(static_cast<std::int64_t>(i * 2'654'435'761u % 1001) - 500);
    expected[i] = starts[i] != 0 ? values[i] : static_cast<T>(expected[i - 1] + values[i]);
  }
  EXPECT_TRUE(running_sums<T>(values, starts));
  EXPECT_TRUE(values == expected) << rows << " rows, a segment in " << one_in;
}

TEST(RunningSums, SegmentsGoOnAcrossBlocks) {
  for (const std::uint64_t rows : {0, 1, 2, 16'383, 16'384, 16'385, 32'768, 200'000})
    for (const std::uint64_t one_in : {0, 1, 3, 1000, 40'000}) {
      expect_sums<std::int64_t>(rows, one_in);
      expect_sums<Int128>(rows, one_in);
      expect_sums<double>(rows, one_in);  // whole numbers, which any order adds up exactly
    }
}

TEST(RunningSums, ASegmentThatBeginsWithABlock) {
  std::vector<std::uint8_t> starts(40'000);
  starts[0] = starts[16'384] = 1;
  std::vector<std::int64_t> ones(40'000, 1);
  EXPECT_TRUE(running_sums<std::int64_t>(ones, starts));
  EXPECT_EQ(ones[16'383], 16'384);
  EXPECT_EQ(ones[16'384], 1);
  EXPECT_EQ(ones[39'999], 40'000 - 16'384);
}

TEST(RunningSums, ASumThatLeavesItsTypeIsSaid) {
  for (const std::uint64_t last :
       {1u, 20'000u}) {  // within a block, and by what is carried into one
    std::vector<std::int64_t> values(last + 1, 0);
    values.front() = std::numeric_limits<std::int64_t>::max();
    values.back() = 1;
    std::vector<std::uint8_t> starts(values.size());
    starts[0] = 1;
    EXPECT_FALSE(running_sums<std::int64_t>(values, starts)) << last;
    starts.back() = 1;
    values.front() = std::numeric_limits<std::int64_t>::max();
    std::fill(values.begin() + 1, values.end(), 0);
    values.back() = 1;
    EXPECT_TRUE(running_sums<std::int64_t>(values, starts)) << last;
  }
}

}  // namespace
}  // namespace penstock::plan
