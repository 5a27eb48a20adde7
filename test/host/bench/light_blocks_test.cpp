// Blocks of `penstock bench light`: the rows of one block again and again, in every kind.
#include <gtest/gtest.h>

#include "bench/bench_light_blocks.hpp"
#include "codec/light/host/encode_block.hpp"

namespace penstock::bench {
namespace {

void expect_repeated(const std::vector<std::int64_t>& values, std::uint32_t kind,
                     std::uint64_t rows) {
  const auto block = light::encode(Column::from(std::vector(values)), {1u << kind});
  ASSERT_TRUE(block.ok()) << block.status().text();
  const auto repeated = repeated_block(*block, rows);
  ASSERT_TRUE(repeated.ok()) << repeated.status().text();
  ASSERT_EQ(repeated->row_count(), rows);
  const Column decoded = repeated->decode();
  for (std::uint64_t row = 0; row < rows; row++)
    ASSERT_EQ(decoded.values.as<std::int64_t>()[row], values[row % values.size()]) << row;
}

TEST(LightBlocks, EveryRepetitionHasTheRowsOfTheBlock) {
  std::vector<std::int64_t> values;
  for (std::int64_t row = 0; row < 2048; row++) values.push_back(row % 7 * 1000 + row / 40);
  for (const std::uint32_t kind : {LIGHT_PACKED, LIGHT_DELTA, LIGHT_RUNS, LIGHT_DICTIONARY})
    for (const std::uint64_t rows : {2048u, 6144u, 5000u}) {
      SCOPED_TRACE("kind " + std::to_string(kind) + ", " + std::to_string(rows) + " rows");
      expect_repeated(values, kind, rows);
    }
}

}  // namespace
}  // namespace penstock::bench
