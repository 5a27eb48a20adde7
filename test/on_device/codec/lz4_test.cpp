// LZ4 blocks decoded on every device by every variant that fits it, against liblz4: output, and the
// status of corrupt blocks.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

const Reference of_liblz4 = lz4_reference();

TEST(Lz4Chunks, OutputsOfAllKindsComeBack) {
  on_each_method(Format::lz4, [](const Method& method) {
    for (const int level : {0, 1, 12})
      expect_outputs(method, lz4_reference(level), outputs_of_all_kinds(65536));
  });
}

TEST(Lz4Chunks, CapacitiesThatBeginAnywhereKeepTheirNeighbours) {
  expect_neighbours_kept(of_liblz4);
}

TEST(Lz4Chunks, LargeBlocksAreNotCutAtSixteenBits) {
  on_each_method(Format::lz4,
                 [](const Method& method) { expect_outputs(method, of_liblz4, large_outputs()); });
}

TEST(Lz4Chunks, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_method(Format::lz4, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes output = mixed_output(700, seed);
      expect_statuses(method, of_liblz4, prefixes(lz4_compressed(output, 0), output.size()));
    }
    const Bytes runs(100'000, 3);
    expect_statuses(method, of_liblz4, prefixes(lz4_compressed(runs, 0), runs.size()));
  });
}

TEST(Lz4Chunks, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_method(Format::lz4, [](const Method& method) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes output = seed == 0 ? words_text(600, 1) : mixed_output(600, seed);
      expect_statuses(method, of_liblz4,
                      single_changes(lz4_compressed(output, 0), output.size() + 40 * seed, 1));
    }
  });
}

TEST(Lz4Chunks, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  const std::vector<Chunk> chunks = capacities(of_liblz4.compressed(mixed_output(400, 5)), 450);
  on_each_method(Format::lz4,
                 [&](const Method& method) { expect_statuses(method, of_liblz4, chunks); });
}

// Literals, a match with a length of several bytes, and few literals after it.
std::vector<Chunk> long_matches_near_the_end(std::size_t literals_before) {
  std::vector<Chunk> chunks;
  for (std::size_t length_bytes = 1; length_bytes < 40; length_bytes += 1 + length_bytes / 4)
    for (std::size_t literals = 0; literals < 8; literals++) {
      Bytes block = {
          static_cast<std::uint8_t>(literals_before < 15 ? literals_before * 16 + 15 : 255)};
      if (literals_before >= 15) {
        block.insert(block.end(), (literals_before - 15) / 255, 255);
        block.push_back(static_cast<std::uint8_t>((literals_before - 15) % 255));
      }
      const Bytes before = random_output(literals_before, 1);
      block.insert(block.end(), before.begin(), before.end());
      block.push_back(1), block.push_back(0);
      block.insert(block.end(), length_bytes - 1, 255);
      block.push_back(130), block.push_back(static_cast<std::uint8_t>(literals * 16));
      block.insert(block.end(), literals, 'b');
      chunks.push_back({std::move(block), literals_before + 20'000});
    }
  return chunks;
}
// Few literals after a short sequence, with capacities around the output's size. liblz4 looks for
// the ends of blocks only where it cannot copy whole words.
std::vector<Chunk> short_sequences_near_the_end() {
  std::vector<Chunk> chunks;
  const auto token = [](std::size_t literals, std::size_t match) {
    return static_cast<std::uint8_t>(literals * 16 + match - 4);
  };
  for (const std::size_t literals : {0, 1, 13, 14})
    for (const std::size_t match : {4, 17, 18})
      for (const std::size_t distance : {1, 7, 8})
        for (std::size_t last = 0; last < 15; last++)
          for (const std::uint64_t spare : {0, 4, 5, 11, 12, 17, 18, 31, 32, 33, 100}) {
            Bytes block = {token(8, 4), 1, 2, 3, 4, 5, 6, 7, 8, 8, 0, token(literals, match)};
            block.insert(block.end(), literals, 'a');
            block.insert(block.end(), {static_cast<std::uint8_t>(distance), 0, token(last, 4)});
            block.insert(block.end(), last, 'b');
            chunks.push_back({std::move(block), 12 + literals + match + last + spare});
          }
  return chunks;
}
TEST(Lz4Chunks, ShortSequencesNearTheEndGetTheStatusOfTheReference) {
  const std::vector<Chunk> chunks = short_sequences_near_the_end();
  on_each_method(Format::lz4,
                 [&](const Method& method) { expect_statuses(method, of_liblz4, chunks); });
}

TEST(Lz4Chunks, BlocksMadeByHandAreJudgedRight) {
  Bytes endless(5000, 255);  // a length that does not end
  Bytes ends = endless;
  ends.push_back(0);
  const std::vector<Chunk> chunks = {{{}, 10},
                                     {{0}, 0},
                                     {{0}, 10},
                                     {{9}, 0},
                                     {{9}, 10},
                                     {{0x0f}, 0},
                                     {{0x0f}, 1},
                                     {{0x10, 'a'}, 1},
                                     {{0x10, 'a'}, 0},
                                     {{0x10}, 1},
                                     {{0x20, 'a', 'b'}, 100},
                                     {{0x40, 'a', 'b', 'c'}, 100},
                                     {{0x10, 'a', 1, 0}, 100},
                                     {{0x10, 'a', 1, 0, 0}, 100},
                                     {{0x10, 'a', 2, 0, 0x50, 1, 2, 3, 4, 5}, 100},
                                     {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 100},
                                     {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 10},
                                     {{0x10, 'a', 1, 0, 0x50, 1, 2, 3, 4, 5}, 9},
                                     {{0x1f, 'a', 1, 0, 255, 255, 200, 0x50, 1, 2, 3, 4, 5}, 1000},
                                     {{0x1f, 'a', 1, 0, 255, 255, 200, 0x50, 1, 2, 3, 4, 5}, 700},
                                     {endless, 100'000},
                                     {ends, 2'000'000},
                                     {{0xf0, 255, 255}, 600},
                                     {Bytes(64, 0), 100},
                                     {Bytes(2048, 0x11), 100'000}};
  on_each_method(Format::lz4, [&](const Method& method) {
    expect_statuses(method, of_liblz4, chunks);
    expect_statuses(method, of_liblz4, long_matches_near_the_end(1));
  });
}

TEST(Lz4Chunks, AErrorNamesItsTokenAndNotThoseBefore) {
  // "abcd" and a match, valid twice, then one from before the output.
  const Bytes block = {0x40, 'a', 'b', 'c', 'd',  4, 0, 0x10, 'x', 4, 0,
                       0x10, 'y', 200, 0,   0x50, 1, 2, 3,    4,   5};
  on_each_method(Format::lz4, [&](const Method& method) {
    TAKE(const auto result, decoded(method, Format::lz4, {{block, 100}}));
    EXPECT_EQ(result[0].chunk_status.error, ErrorCode::invalid_distance);
    EXPECT_EQ(result[0].chunk_status.offset, 11u);
    EXPECT_EQ(status_of(Format::lz4, 0, result[0].chunk_status).code(), Code::corrupt);
  });
}

TEST(Lz4Chunks, MemoryThatIsTooSmallIsRefused) {
  on_each_method(Format::lz4, [](const Method& method) {
    TAKE(const auto queue, method.device->queue());
    TAKE(const auto decoder, Decoder::build(method.device, Format::lz4, method.variant));
    TAKE(const auto small, method.device->allocate(64));
    TAKE(const auto scratch, method.device->allocate(decoder->scratch_bytes(9)));
    Batch batch{9, small, small, small, small, small, small, small, small};
    EXPECT_EQ(decoder->enqueue(*queue, batch, *scratch).code(), Code::invalid);
    batch.chunk_count = 8;
    EXPECT_EQ(decoder->enqueue(*queue, batch, *small).code(), Code::invalid);
  });
}

class Lz4ChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(Lz4ChunksOnHost, OutputsComeBackAndBadBlocksAreTold) {
  on_each_method_on_host(GetParam(), Format::lz4, [](const Method& method) {
    expect_small_outputs(method, of_liblz4, 9000);
    const std::vector<Chunk> all = short_sequences_near_the_end();
    std::vector<Chunk> some;
    for (std::size_t i = 0; i < all.size(); i += 41) some.push_back(all[i]);
    expect_statuses(method, of_liblz4, some);
    // Scratch memory has a word for each byte of output, which every launch copies to a process of
    // its own.
    expect_damage_found(method, of_liblz4, 300, method.variant == "lz4_decode_segments" ? 200 : 51);
  });
}

INSTANTIATE_TEST_SUITE_P(Warps, Lz4ChunksOnHost, ::testing::ValuesIn(warps_on_host()));

// Blocks of several segments, by several warps each: chains that meet soon, and literals across
// whole segments, where every guess is wrong; damage near their beginning, in their middle and at
// their end.
std::vector<Bytes> long_outputs() {
  std::vector<Bytes> outputs = {words_text(160'000, 1), mixed_output(200'000, 2),
                                numbers_output(150'000, 3), Bytes(300'000, 7)};
  Bytes islands = words_text(60'000, 4);
  for (std::uint32_t i = 5; i < 8; i++) {
    const Bytes noise = random_output(i == 6 ? 70'000 : 9'000, i), words = words_text(30'000, i);
    islands.insert(islands.end(), noise.begin(), noise.end());
    islands.insert(islands.end(), words.begin(), words.end());
  }
  outputs.push_back(islands);
  Bytes far = random_output(66'000, 9);  // matches at distances of up to 65535
  far.insert(far.end(), far.begin() + 500, far.begin() + 40'000);
  outputs.push_back(far);
  return outputs;
}
std::vector<Chunk> damaged_blocks(const Bytes& output) {
  const Bytes block = lz4_compressed(output, 0);
  std::vector<Chunk> chunks;
  std::mt19937 random(5);
  for (int i = 0; i < 12; i++) {
    Bytes changed = block;
    changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    if (i % 4 == 3) changed.resize(changed.size() - 1 - random() % 20'000);
    chunks.push_back({changed, output.size() + (i % 3 == 0 ? 0 : 5000)});
  }
  chunks.push_back({block, output.size() - 1});
  chunks.push_back({block, output.size() / 2});
  return chunks;
}

// A handmade block, sequence by sequence; its literals are random.
class HandMadeBlock {
 public:
  explicit HandMadeBlock(std::uint32_t seed) : random_(seed) {}
  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }
  std::size_t input_bytes() const { return block_.size(); }
  std::size_t output_bytes() const { return output_bytes_; }
  // match 0: the last sequence.
  void add(std::size_t literals, std::size_t match, std::size_t distance) {
    const auto nibble = [](std::size_t length) { return std::min<std::size_t>(length, 15); };
    block_.push_back(
        static_cast<std::uint8_t>(nibble(literals) << 4 | (match == 0 ? 0 : nibble(match - 4))));
    if (literals >= 15) add_length(literals - 15);
    for (std::size_t i = 0; i < literals; i++)
      block_.push_back(static_cast<std::uint8_t>(random_()));
    output_bytes_ += literals + match;
    if (match == 0) return;
    block_.push_back(static_cast<std::uint8_t>(distance)),
        block_.push_back(static_cast<std::uint8_t>(distance >> 8));
    if (match >= 19) add_length(match - 19);
  }
  Chunk ended() {
    add(12, 0, 0);
    return {block_, output_bytes_};
  }

 private:
  void add_length(std::size_t length) {
    for (; length >= 255; length -= 255) block_.push_back(255);
    block_.push_back(static_cast<std::uint8_t>(length));
  }
  std::mt19937 random_;
  Bytes block_;
  std::size_t output_bytes_ = 0;
};

// All matches reach further back than a segment is long, or overlap, and segments end inside of
// lengths.
Chunk crossing_block(std::uint32_t seed, bool repeats) {
  constexpr std::size_t segment_bytes = 4032;
  HandMadeBlock block(seed);
  block.add(600, 4, 500);
  while (block.input_bytes() < 70'000) {
    const bool is_at_end = block.input_bytes() % segment_bytes > segment_bytes - 20;
    const std::size_t literals = block.random() % 6,
                      far = std::min<std::size_t>(block.output_bytes(),
                                                  30'000 + block.random() % 35'536);
    block.add(literals, is_at_end ? 3000 + block.random() % 5000 : 4 + block.random() % 40,
              repeats ? 1 + block.random() % 7 : far);
  }
  return block.ended();
}

// Lengths have none, one, several bytes, and as many as scans read, one more or less
// (lz4_exact_steps.kc: MAX_LENGTH_BYTES, and literals of 15 + 64).
Chunk long_lengths_block(std::uint32_t seed) {
  constexpr std::array<std::size_t, 12> literals = {0,  1,   14,  15,  78,  79,
                                                    80, 269, 270, 271, 530, 1200};
  constexpr std::array<std::size_t, 12> matches = {4,
                                                   18,
                                                   19,
                                                   273,
                                                   274,
                                                   275,
                                                   529,
                                                   2600,
                                                   64 * 255 + 18,
                                                   64 * 255 + 19,
                                                   65 * 255 + 18,
                                                   65 * 255 + 19};
  HandMadeBlock block(seed);
  block.add(100, 4, 50);
  while (block.input_bytes() < 30'000) {
    const std::size_t many = block.random() % 8 == 0 ? literals.size() : 3;  // most have few
    block.add(literals[block.random() % many], matches[block.random() % matches.size()],
              1 + block.random() % 100);
  }
  return block.ended();
}

// Matches that are longer than a step of source indices, each of the one before: chains of 2000
// steps in each 2 MiB of output.
Chunk chained_block(std::size_t matches) {
  constexpr std::size_t match_bytes = 1030;
  Bytes block = {0xff, 255, 255, 255, match_bytes - 15 - 3 * 255};
  const Bytes literals = random_output(match_bytes, 3);
  block.insert(block.end(), literals.begin(), literals.end());
  block.insert(block.end(),
               {match_bytes & 255, match_bytes >> 8, 255, 255, 255, match_bytes - 19 - 3 * 255});
  for (std::size_t i = 1; i < matches; i++)
    block.insert(block.end(), {0x0f, match_bytes & 255, match_bytes >> 8, 255, 255, 255,
                               match_bytes - 19 - 3 * 255});
  block.insert(block.end(), {0x50, 1, 2, 3, 4, 5});
  return {block, match_bytes * (matches + 1) + 5};
}
TEST(Lz4Chunks, LongMatchesThatEachCopyTheOneBeforeComeBack) {
  on_each_method(Format::lz4, [](const Method& method) {
    expect_statuses(method, of_liblz4, {chained_block(8000)});
  });
}

class Lz4SegmentsOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  void SetUp() override {
    if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
    method_ = {kernel::make_host_device(GetParam()), "lz4_decode_segments"};
  }
  Method method_;
};
TEST_P(Lz4SegmentsOnHost, LongBlocksComeBack) {
  expect_outputs(method_, of_liblz4, long_outputs(), {});
  expect_outputs(method_, of_liblz4, {words_text(90'000, 20), mixed_output(50'001, 21)}, {5, 1});
}
TEST_P(Lz4SegmentsOnHost, MatchesThatCrossSegmentsComeBack) {
  expect_statuses(method_, of_liblz4,
                  {crossing_block(1, false), crossing_block(2, true), crossing_block(3, false),
                   crossing_block(4, true)});
  expect_statuses(method_, of_liblz4, {chained_block(140)});
}
TEST_P(Lz4SegmentsOnHost, LengthsThatGoOnForManyBytesComeBack) {
  Chunk run = long_lengths_block(3);
  run.bytes.insert(run.bytes.begin() + 300, 9'000,
                   255);  // no length that is meant, but it may be read as one
  expect_statuses(method_, of_liblz4, {long_lengths_block(1), long_lengths_block(2), run});
}
// Every variant must report the error and the byte of the first corrupt token.
TEST_P(Lz4SegmentsOnHost, StatusesAreThoseOfOneWarp) {
  std::vector<Chunk> chunks = damaged_blocks(mixed_output(90'000, 8));
  for (const std::size_t more : {0, 1, 40})
    chunks.push_back({Bytes(50'000 + more, 0x11), 60'000 + more});
  chunks.push_back({{}, 100'000});
  TAKE(const auto found, decoded(method_, Format::lz4, chunks));
  TAKE(const auto expected, decoded({method_.device, "lz4_decode_warp"}, Format::lz4, chunks));
  for (std::size_t i = 0; i < chunks.size(); i++) {
    EXPECT_EQ(found[i].chunk_status.error, expected[i].chunk_status.error) << "block " << i;
    EXPECT_EQ(found[i].chunk_status.offset, expected[i].chunk_status.offset) << "block " << i;
  }
}
TEST_P(Lz4SegmentsOnHost, LongBlocksThatAreDamagedAreTold) {
  expect_statuses(method_, of_liblz4, damaged_blocks(mixed_output(120'000, 6)));
  expect_statuses(method_, of_liblz4, damaged_blocks(words_text(120'000, 7)));
  std::vector<Chunk> near_the_end;
  const std::vector<Chunk> all = long_matches_near_the_end(17'000);
  for (std::size_t i = 0; i < all.size(); i += 31) near_the_end.push_back(all[i]);
  expect_statuses(method_, of_liblz4, near_the_end);
}
INSTANTIATE_TEST_SUITE_P(Warps, Lz4SegmentsOnHost,
                         ::testing::Values(kernel::HostDeviceOptions{.subgroup_size = 32},
                                           kernel::HostDeviceOptions{
                                               .max_group_size = 256,
                                               .order = kernel::ThreadOrder::shuffled}));

}  // namespace
}  // namespace penstock::batch
