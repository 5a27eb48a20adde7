// Snappy blocks decoded on every device by every variant that fits it, against libsnappy: output,
// and the status of corrupt blocks.
#include <gtest/gtest.h>

#include "on_device/codec/snappy_blocks.hpp"

namespace penstock::batch {
namespace {

const Reference of_libsnappy = snappy_reference();
using Block = SnappyBlock;

TEST(SnappyChunks, OutputsOfAllKindsComeBack) {
  on_each_method(Format::snappy, [](const Method& method) {
    expect_outputs(method, of_libsnappy, outputs_of_all_kinds(65536));
  });
}

TEST(SnappyChunks, TagsInAnyOrderAreDecodedAsTheReferenceDoes) {
  on_each_method(Format::snappy, [](const Method& method) {
    std::vector<Chunk> chunks;
    for (std::uint32_t seed = 0; seed < 60; seed++)
      chunks.push_back(chunk_of_all_tags(1 + seed * 50, seed));
    for (const Chunk& chunk : chunks) ASSERT_TRUE(snappy_output(chunk).has_value());
    expect_statuses(method, of_libsnappy, chunks);
  });
}

TEST(SnappyChunks, CapacitiesThatBeginAnywhereKeepTheirNeighbours) {
  expect_neighbours_kept(of_libsnappy);
}

TEST(SnappyChunks, LargeBlocksAreNotCutAtSixteenBits) {
  on_each_method(Format::snappy, [](const Method& method) {
    expect_outputs(method, of_libsnappy, large_outputs());
    Block far(600'064);
    far.literals(300'000, 3).farther(64, 300'000).literals(300'000, 4);
    expect_statuses(method, of_libsnappy, {{far.bytes, 600'064}});
  });
}

TEST(SnappyChunks, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_method(Format::snappy, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes output = mixed_output(700, seed);
      expect_statuses(method, of_libsnappy, prefixes(snappy_compressed(output), output.size()));
    }
    const Chunk chunk = chunk_of_all_tags(200, 77);
    expect_statuses(method, of_libsnappy, prefixes(chunk.bytes, chunk.capacity));
  });
}

TEST(SnappyChunks, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_method(Format::snappy, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes output = seed == 0 ? words_text(600, 1) : mixed_output(600, seed);
      expect_statuses(method, of_libsnappy,
                      single_changes(snappy_compressed(output), output.size() + 40 * seed, 1));
    }
    const Chunk chunk = chunk_of_all_tags(60, 78);
    expect_statuses(method, of_libsnappy, single_changes(chunk.bytes, chunk.capacity + 1000, 1));
  });
}

TEST(SnappyChunks, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  const std::vector<Chunk> chunks = capacities(of_libsnappy.compressed(mixed_output(400, 5)), 450);
  on_each_method(Format::snappy,
                 [&](const Method& method) { expect_statuses(method, of_libsnappy, chunks); });
}

TEST(SnappyChunks, BlocksMadeByHandAreJudgedRight) {
  const std::vector<Chunk> chunks = {
      {{}, 10},
      {{0}, 0},
      {{0}, 10},
      {{0, 0, 'a'}, 10},
      {{1}, 10},
      {{1, 0, 'a'}, 1},
      {{1, 0, 'a'}, 0},
      {{1, 0}, 1},
      {{2, 4, 'a'}, 9},
      // Output sizes: in more bytes than they need, of 32 bits, of more.
      {{0x81, 0, 0, 'a'}, 9},
      {{0x81, 0x80, 0x80, 0x80, 0, 0, 'a'}, 9},
      {{0x81, 0x80, 0x80, 0x80, 0x80, 0, 0, 'a'}, 9},
      {{0xff, 0xff, 0xff, 0xff, 15, 0, 'a'}, 9},
      {{0xff, 0xff, 0xff, 0xff, 16, 0, 'a'}, 9},
      {{0x81, 0x80, 0x80, 0x80, 0x10, 0, 'a'}, 9},
      {{0x81, 0x80}, 9},
      {{0x80}, 9},
      // Output that ends before its size, or after.
      {Block(5).literals(4).bytes, 100},
      {Block(3).literals(4).bytes, 100},
      {Block(9).literals(4).near(4, 4).bytes, 100},
      {Block(7).literals(4).near(4, 4).bytes, 100},
      {Block(8).literals(4).near(4, 4).bytes, 100},
      {Block(4).literals(4).literals(1).bytes, 100},
      // Distances: 0, and beyond the first byte of output, of each width.
      {Block(8).literals(4).near(4, 0).bytes, 100},
      {Block(8).literals(4).far(4, 0).bytes, 100},
      {Block(8).literals(4).farther(4, 0).bytes, 100},
      {Block(8).literals(4).near(4, 5).bytes, 100},
      {Block(8).literals(4).far(4, 5).bytes, 100},
      {Block(8).literals(4).farther(4, 5).bytes, 100},
      {Block(8).literals(4).farther(4, 0xffffffff).bytes, 100},
      {Block(4).near(4, 1).bytes, 100},
      {Block(5).far(1, 1).literals(4).bytes, 100},
      // Numbers of literals: in more bytes than they need, and beyond the end of the input.
      {Block(1).literals(1, 1).bytes, 9},
      {Block(1).literals(1, 4).bytes, 9},
      {Block(61).literals(61, 1).bytes, 99},
      {Block(129).literals(129, 1).bytes, 999},
      {Block(256).literals(256, 1).bytes, 999},
      {Block(257).literals(257, 2).bytes, 999},
      {Block(1).tag(63 * 4, 0xffffffff, 4).bytes, 9},
      {Block(1).tag(62 * 4, 0, 2).bytes, 9},
      {Bytes(2048, 0x01), 100'000},
      {Bytes(2048, 0xfc), 100'000},
      {Bytes(64, 0), 100}};
  on_each_method(Format::snappy,
                 [&](const Method& method) { expect_statuses(method, of_libsnappy, chunks); });
}

struct JudgedBlock {
  Block block;
  std::uint64_t capacity;
  ErrorCode error;
  std::uint32_t offset;
};
TEST(SnappyChunks, AErrorNamesItsTagAndNotThoseBefore) {
  const std::vector<JudgedBlock> rows = {
      {Block(20).literals(4).near(4, 4).literals(1).near(4, 20).literals(7), 100,
       ErrorCode::invalid_distance, 10},
      {Block(20).literals(4).near(4, 4).literals(13), 100, ErrorCode::size_mismatch, 8},
      {Block(20).literals(4).near(4, 4).literals(11), 100, ErrorCode::size_mismatch, 20},
      {Block(20).literals(4).near(4, 4).literals(12), 19, ErrorCode::output_too_small, 0},
      {Block(20).literals(4).far(8, 4).tag(2 + 7 * 4, 4, 1), 100, ErrorCode::truncated_input, 9},
      // 2^32 literals, which libsnappy takes for none.
      {Block(0).tag(63 * 4, 0xffffffff, 4), 100, ErrorCode::truncated_input, 1}};
  on_each_method(Format::snappy, [&](const Method& method) {
    for (const JudgedBlock& row : rows) {
      TAKE(const auto result, decoded(method, Format::snappy, {{row.block.bytes, row.capacity}}));
      EXPECT_EQ(result[0].chunk_status.error, row.error)
          << status_of(Format::snappy, 0, result[0].chunk_status).text();
      EXPECT_EQ(result[0].chunk_status.offset, row.offset);
    }
  });
  EXPECT_EQ(status_of(Format::snappy, 3, {ErrorCode::size_mismatch, 8}).text(),
            "corrupt: Snappy chunk 3, byte 8: incorrect length check");
}

// Short matches, many in a step of a warp. Their sources are bytes of other matches, of themselves,
// or of the output before the step.
Chunk chunk_of_short_matches(std::uint32_t matches, std::uint32_t reach, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uint32_t made = 40;
  Block body(0);
  body.literals(made);
  for (std::uint32_t i = 0; i < matches; i++) {
    if (random() % 3 == 0) body.literals(1), made++;
    const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 16);
    body.far(count, 1 + static_cast<std::uint32_t>(random() % std::min(made, reach)));
    made += count;
  }
  Bytes block = Block(made).bytes;
  block.insert(block.end(), body.bytes.begin() + 1, body.bytes.end());
  return {block, made};
}
std::vector<Chunk> chunks_of_short_matches() {
  std::vector<Chunk> chunks;
  for (const std::uint32_t reach : {1u, 3u, 9u, 40u, 300u, 1500u})
    chunks.push_back(chunk_of_short_matches(700, reach, reach));
  return chunks;
}

TEST(SnappyChunks, ShortMatchesThatReadOneAnotherComeBack) {
  on_each_method(Format::snappy, [](const Method& method) {
    expect_statuses(method, of_libsnappy, chunks_of_short_matches());
  });
}

class SnappyChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(SnappyChunksOnHost, OutputsComeBackAndBadBlocksAreTold) {
  on_each_method_on_host(GetParam(), Format::snappy, [](const Method& method) {
    expect_small_outputs(method, of_libsnappy, 9000);
    expect_statuses(
        method, of_libsnappy,
        {chunk_of_all_tags(600, 1), chunk_of_all_tags(600, 2), chunk_of_all_tags(600, 3)});
    expect_damage_found(method, of_libsnappy, 300, 51);
  });
}
TEST_P(SnappyChunksOnHost, ShortMatchesThatReadOneAnotherComeBack) {
  on_each_method_on_host(GetParam(), Format::snappy, [](const Method& method) {
    expect_statuses(method, of_libsnappy, chunks_of_short_matches());
  });
}
INSTANTIATE_TEST_SUITE_P(Warps, SnappyChunksOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
