// Deflate streams decoded on every device by every variant that fits it, against zlib: texts, and
// the verdict on what is not sound.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);
const Reference reference = deflate_reference();
constexpr DeflateOptions fixed{.strategy = Z_FIXED};

TEST(DeflateChunks, TextsOfAllKindsComeBack) {
  on_each_way(Format::deflate, [](const Way& way) {
    for (const int level : {0, 1, 6, 9})
      expect_texts(way, deflate_reference({.level = level}), texts_of_all_kinds(65536));
    for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
      expect_texts(way, deflate_reference({.strategy = strategy}), texts_of_all_kinds(20000));
    expect_texts(way, deflate_reference({.memory = 1}),
                 texts_of_all_kinds(100'000));  // many small blocks
  });
}

TEST(DeflateChunks, RoomsThatBeginAnywhereKeepTheirNeighbours) {
  expect_neighbours_kept(reference);
}

TEST(DeflateChunks, LargeStreamsAreDecodedWhole) {
  on_each_way(Format::deflate, [](const Way& way) { expect_texts(way, reference, large_texts()); });
}

TEST(DeflateChunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_way(Format::deflate, [](const Way& way) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes text = mixed_text(900, seed);
      for (const int level : {0, 6})
        expect_verdicts(way, reference, prefixes(deflate_compressed(text, {level}), text.size()));
    }
    const Bytes words = words_text(3000, 1), runs(100'000, 3);
    expect_verdicts(way, reference, prefixes(deflate_compressed(words, {9}), words.size()));
    expect_verdicts(way, reference,
                    prefixes(deflate_compressed(words, {9, Z_FIXED}), words.size()));
    expect_verdicts(way, reference, prefixes(deflate_compressed(runs), runs.size()));
  });
}

TEST(DeflateChunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_way(Format::deflate, [](const Way& way) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = seed == 0 ? words_text(900, 1) : mixed_text(500, seed);
      const Bytes chunk = deflate_compressed(text, {.level = seed == 2 ? 0 : 6});
      expect_verdicts(way, reference,
                      single_changes(chunk, text.size() + 40 * seed, seed == 0 ? 1 : 3));
      expect_verdicts(way, reference,
                      single_changes(deflate_compressed(text, fixed), text.size() + 40 * seed, 3));
    }
  });
}

TEST(DeflateChunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  const std::vector<Chunk> chunks = rooms(reference.compressed(mixed_text(400, 5)), 450);
  on_each_way(Format::deflate, [&](const Way& way) { expect_verdicts(way, reference, chunks); });
}

TEST(DeflateChunks, RandomBytesAreJudgedAsTheReferenceJudgesThem) {
  on_each_way(Format::deflate, [](const Way& way) {
    std::vector<Chunk> chunks;
    for (std::uint32_t seed = 0; seed < 20'000; seed++) {
      Bytes bytes = random_text(1 + seed % 97, seed);
      bytes[0] = static_cast<std::uint8_t>(
          (bytes[0] & ~7u) | (seed % 4 == 0 ? 3 : 5));  // a last block, of fixed or dynamic codes
      chunks.push_back({std::move(bytes), 2000});
    }
    expect_verdicts(way, reference, chunks);
  });
}

// Blocks without text cost their tables and windows all the same.
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
  on_each_way(Format::deflate,
              [&](const Way& way) { expect_verdicts(way, reference, empty_blocks(2000)); });
}

TEST(DeflateChunks, AMatchFromBeforeTheTextIsNamedThoughThereIsNoRoomForItEither) {
  const Bytes chunk = {0x1b, 0x03, 0,
                       0};  // the last block, fixed codes, a match before any literal
  on_each_way(Format::deflate, [&](const Way& way) {
    TAKE(const auto result,
         decoded(way, Format::deflate,
                 {{deflate_compressed(Bytes(600, 'a'), fixed), 100}, {chunk, 1}}));
    EXPECT_EQ(result[0].verdict.fault, Fault::too_long);
    EXPECT_NE(result[1].verdict.fault, Fault::none);
    EXPECT_NE(result[1].verdict.fault, Fault::too_long);
  });
}

class DeflateChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateChunksOnHost, TextsComeBackAndBadStreamsAreTold) {
  on_each_way_on_host(GetParam(), Format::deflate, [](const Way& way) {
    for (const int level : {0, 6})
      expect_small_texts(way, deflate_reference({.level = level}), 6000);
    expect_damage_found(way, reference, 200, 85);
    expect_verdicts(way, reference, empty_blocks(20));
  });
}
INSTANTIATE_TEST_SUITE_P(Teams, DeflateChunksOnHost, ::testing::ValuesIn(teams_on_host()));

}  // namespace
}  // namespace penstock::chunks
