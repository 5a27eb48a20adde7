// Generated text: if a column's statistics moved, figures of benches could not be compared with
// earlier ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "penstock/fsst.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::codec {
namespace {

struct Lengths {
  explicit Lengths(const Column& column) : sorted(column.row_count) {
    for (std::uint64_t row = 0; row < column.row_count; row++)
      sum += sorted[row] = column.string(row).size();
    std::ranges::sort(sorted);
  }
  double mean() const { return static_cast<double>(sum) / static_cast<double>(sorted.size()); }
  std::uint64_t at(double share) const {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))];
  }
  std::vector<std::uint64_t> sorted;
  std::uint64_t sum = 0;
};

bool equal(const Column& one, const Column& other, std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; row++)
    if (one.string(row) != other.string(row)) return false;
  return true;
}

double ratio(const Column& column) {
  const auto encoded = fsst::encode(column);
  return encoded.ok()
             ? static_cast<double>(encoded->string_bytes) / static_cast<double>(encoded->codes.size)
             : 0;
}

TEST(GenerateText, UrlsHaveTheLengthsOfClickBench) {
  const Lengths lengths(generate_urls(500'000));
  EXPECT_NEAR(lengths.mean(), 92.4, 0.7);
  EXPECT_NEAR(static_cast<double>(lengths.at(0.5)), 75, 1);
  EXPECT_NEAR(static_cast<double>(lengths.at(0.99)), 406, 8);
}

TEST(GenerateText, UrlsAreHalvedByFsst) { EXPECT_NEAR(ratio(generate_urls(200'000)), 2.15, 0.04); }
TEST(GenerateText, LogLinesCompressAsLogsDo) {
  EXPECT_NEAR(ratio(generate_log_lines(200'000)), 2.84, 0.08);
}

TEST(GenerateText, UrlsThatHoldGoogleAreFewButThere) {
  const Column urls = generate_urls(200'000);
  std::uint64_t count = 0;
  for (std::uint64_t row = 0; row < urls.row_count; row++)
    count += urls.string(row).find("google") != std::string_view::npos;
  EXPECT_GT(count, 10);
  EXPECT_LT(count, 100);
}

TEST(GenerateText, AShortColumnIsTheBeginningOfALongOne) {
  EXPECT_TRUE(equal(generate_urls(1000), generate_urls(100'000), 1000));
  EXPECT_TRUE(equal(generate_log_lines(1000), generate_log_lines(100'000), 1000));
}

TEST(GenerateText, AnotherSeedIsAnotherColumn) {
  EXPECT_FALSE(equal(generate_urls(100, 1), generate_urls(100, 2), 100));
}
TEST(GenerateText, NoRowsAreAColumn) { EXPECT_EQ(generate_urls(0).row_count, 0); }

}  // namespace
}  // namespace penstock::codec
