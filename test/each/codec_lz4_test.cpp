// LZ4 blocks decoded on every device by every variant that fits it, against liblz4: texts, and the verdict on what is not sound.
#include <gtest/gtest.h>

#include "chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);
const Reference reference = lz4_reference();

TEST(Lz4Chunks, TextsOfAllKindsComeBack) {
  on_each_way(Format::lz4, [](const Way& way) {
    for (const int level : {0, 1, 12}) expect_texts(way, lz4_reference(level), texts_of_all_kinds(65536));
  });
}

TEST(Lz4Chunks, RoomsThatBeginAnywhereKeepTheirNeighbours) { expect_neighbours_kept(reference); }

TEST(Lz4Chunks, LargeBlocksAreNotCutAtSixteenBits) {
  on_each_way(Format::lz4, [](const Way& way) { expect_texts(way, reference, large_texts()); });
}

TEST(Lz4Chunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_way(Format::lz4, [](const Way& way) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes text = mixed_text(700, seed);
      expect_verdicts(way, reference, prefixes(lz4_compressed(text, 0), text.size()));
    }
    const Bytes runs(100'000, 3);
    expect_verdicts(way, reference, prefixes(lz4_compressed(runs, 0), runs.size()));
  });
}

TEST(Lz4Chunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_way(Format::lz4, [](const Way& way) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = seed == 0 ? words_text(600, 1) : mixed_text(600, seed);
      expect_verdicts(way, reference, single_changes(lz4_compressed(text, 0), text.size() + 40 * seed, 1));
    }
  });
}

TEST(Lz4Chunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  const std::vector<Chunk> chunks = rooms(reference.compressed(mixed_text(400, 5)), 450);
  on_each_way(Format::lz4, [&](const Way& way) { expect_verdicts(way, reference, chunks); });
}

TEST(Lz4Chunks, BlocksMadeByHandAreJudgedRight) {
  Bytes endless(5000, 255);      // a length that does not end
  Bytes ends = endless;
  ends.push_back(0);
  const std::vector<Chunk> chunks = {
      {{}, 10}, {{0}, 0}, {{0}, 10}, {{0x10, 'a'}, 1}, {{0x10, 'a'}, 0}, {{0x10}, 1}, {{0x20, 'a', 'b'}, 100}, {{0x40, 'a', 'b', 'c'}, 100},
      {{0x10, 'a', 1, 0}, 100}, {{0x10, 'a', 1, 0, 0}, 100}, {{0x10, 'a', 2, 0, 0x50, 1, 2, 3, 4, 5}, 100},
      {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 100}, {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 10},
      {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 9},
      {{0x1f, 'a', 1, 0, 255, 255, 200, 0x50, 1, 2, 3, 4, 5}, 1000}, {{0x1f, 'a', 1, 0, 255, 255, 200, 0x50, 1, 2, 3, 4, 5}, 700},
      {endless, 100'000}, {ends, 2'000'000}, {{0xf0, 255, 255}, 600}, {Bytes(64, 0), 100}, {Bytes(2048, 0x11), 100'000}};
  on_each_way(Format::lz4, [&](const Way& way) { expect_verdicts(way, reference, chunks); });
}

TEST(Lz4Chunks, AFaultNamesItsTokenAndNotThoseBefore) {
  // "abcd" and a match, twice sound, then one from before the text's beginning.
  const Bytes block = {0x40, 'a', 'b', 'c', 'd', 4, 0, 0x10, 'x', 4, 0, 0x10, 'y', 200, 0, 0x50, 1, 2, 3, 4, 5};
  on_each_way(Format::lz4, [&](const Way& way) {
    TAKE(const auto result, decoded(way, Format::lz4, {{block, 100}}));
    EXPECT_EQ(result[0].verdict.fault, Fault::bad_distance);
    EXPECT_EQ(result[0].verdict.offset, 11u);
    EXPECT_EQ(status_of(Format::lz4, 0, result[0].verdict).code(), Code::corrupt);
  });
}

TEST(Lz4Chunks, MemoryThatIsTooSmallIsRefused) {
  on_each_way(Format::lz4, [](const Way& way) {
    TAKE(const auto queue, way.device->queue());
    TAKE(const auto decoder, Decoder::build(way.device, Format::lz4, way.variant));
    TAKE(const auto small, way.device->allocate(64));
    TAKE(const auto scratch, way.device->allocate(decoder->scratch_bytes(9)));
    Batch batch{9, small, small, small, small, small, small, small, small};
    EXPECT_EQ(decoder->enqueue(*queue, batch, *scratch).code(), Code::invalid);
    batch.chunk_count = 8;
    EXPECT_EQ(decoder->enqueue(*queue, batch, *small).code(), Code::invalid);
  });
}

class Lz4ChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(Lz4ChunksOnHost, TextsComeBackAndBadBlocksAreTold) {
  on_each_way_on_host(GetParam(), Format::lz4, [](const Way& way) {
    expect_small_texts(way, reference, 9000);
    expect_damage_found(way, reference, 300, 51);
  });
}
INSTANTIATE_TEST_SUITE_P(Teams, Lz4ChunksOnHost, ::testing::ValuesIn(teams_on_host()));

}  // namespace
}  // namespace penstock::chunks
