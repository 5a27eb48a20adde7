// Deflate streams decoded on every device by every variant that fits it, against zlib: output, and
// the status of corrupt streams.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

const Reference of_zlib = deflate_reference();
constexpr DeflateOptions fixed{.strategy = Z_FIXED};

TEST(DeflateChunks, OutputsOfAllKindsComeBack) {
  on_each_method(Format::deflate, [](const Method& method) {
    for (const int level : {0, 1, 6, 9})
      expect_outputs(method, deflate_reference({.level = level}), outputs_of_all_kinds(65536));
    for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
      expect_outputs(method, deflate_reference({.strategy = strategy}),
                     outputs_of_all_kinds(20000));
    expect_outputs(method, deflate_reference({.memory = 1}),
                   outputs_of_all_kinds(100'000));  // many small blocks
  });
}

TEST(DeflateChunks, CapacitiesThatBeginAnywhereKeepTheirNeighbours) {
  expect_neighbours_kept(of_zlib);
}

TEST(DeflateChunks, LargeStreamsAreDecodedWhole) {
  on_each_method(Format::deflate,
                 [](const Method& method) { expect_outputs(method, of_zlib, large_outputs()); });
}

TEST(DeflateChunks, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_method(Format::deflate, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes output = mixed_output(900, seed);
      for (const int level : {0, 6})
        expect_statuses(method, of_zlib,
                        prefixes(deflate_compressed(output, {level}), output.size()));
    }
    const Bytes words = words_text(3000, 1), runs(100'000, 3);
    expect_statuses(method, of_zlib, prefixes(deflate_compressed(words, {9}), words.size()));
    expect_statuses(method, of_zlib,
                    prefixes(deflate_compressed(words, {9, Z_FIXED}), words.size()));
    expect_statuses(method, of_zlib, prefixes(deflate_compressed(runs), runs.size()));
  });
}

TEST(DeflateChunks, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_method(Format::deflate, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes output = seed == 0 ? words_text(900, 1) : mixed_output(500, seed);
      const Bytes chunk = deflate_compressed(output, {.level = seed == 2 ? 0 : 6});
      expect_statuses(method, of_zlib,
                      single_changes(chunk, output.size() + 40 * seed, seed == 0 ? 1 : 3));
      expect_statuses(
          method, of_zlib,
          single_changes(deflate_compressed(output, fixed), output.size() + 40 * seed, 3));
    }
  });
}

TEST(DeflateChunks, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  const std::vector<Chunk> chunks = capacities(of_zlib.compressed(mixed_output(400, 5)), 450);
  on_each_method(Format::deflate,
                 [&](const Method& method) { expect_statuses(method, of_zlib, chunks); });
}

TEST(DeflateChunks, RandomBytesAreJudgedAsTheReferenceJudgesThem) {
  on_each_method(Format::deflate, [](const Method& method) {
    std::vector<Chunk> chunks;
    for (std::uint32_t seed = 0; seed < 20'000; seed++) {
      Bytes bytes = random_output(1 + seed % 97, seed);
      bytes[0] = static_cast<std::uint8_t>(
          (bytes[0] & ~7u) | (seed % 4 == 0 ? 3 : 5));  // a last block, of fixed or dynamic codes
      chunks.push_back({std::move(bytes), 2000});
    }
    expect_statuses(method, of_zlib, chunks);
  });
}

// Blocks without output cost their tables and windows all the same.
std::vector<Chunk> empty_blocks(std::size_t fours) {
  Bytes blocks(
      5 * fours,
      0);  // four blocks of 10 bits in 5 bytes: no last one, fixed codes, the end of the block
  for (std::size_t bit = 1; bit < blocks.size() * 8; bit += 10)
    blocks[bit / 8] |= static_cast<std::uint8_t>(1u << (bit & 7));
  Bytes ended = blocks;
  ended.push_back(3), ended.push_back(0);  // the last block
  return {{blocks, 0}, {ended, 0}, {ended, 100}};
}
TEST(DeflateChunks, ThousandsOfEmptyBlocksEndSoon) {
  on_each_method(Format::deflate, [&](const Method& method) {
    expect_statuses(method, of_zlib, empty_blocks(2000));
  });
}

TEST(DeflateChunks, AMatchFromBeforeTheOutputIsNamedThoughThereIsNoCapacityForItEither) {
  const Bytes chunk = {0x1b, 0x03, 0,
                       0};  // the last block, fixed codes, a match before any literal
  on_each_method(Format::deflate, [&](const Method& method) {
    TAKE(const auto result,
         decoded(method, Format::deflate,
                 {{deflate_compressed(Bytes(600, 'a'), fixed), 100}, {chunk, 1}}));
    EXPECT_EQ(result[0].chunk_status.error, ErrorCode::output_too_small);
    EXPECT_NE(result[1].chunk_status.error, ErrorCode::none);
    EXPECT_NE(result[1].chunk_status.error, ErrorCode::output_too_small);
  });
}

class DeflateChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateChunksOnHost, OutputsComeBackAndBadStreamsAreTold) {
  on_each_method_on_host(GetParam(), Format::deflate, [](const Method& method) {
    for (const int level : {0, 6})
      expect_small_outputs(method, deflate_reference({.level = level}), 6000);
    expect_damage_found(method, of_zlib, 200, 85);
    expect_statuses(method, of_zlib, empty_blocks(20));
  });
}
INSTANTIATE_TEST_SUITE_P(Warps, DeflateChunksOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
