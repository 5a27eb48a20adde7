// LZ4 blocks decoded on every device by every variant that fits it, against liblz4: texts, and the verdict on what is not sound.
#include <gtest/gtest.h>
#include <lz4.h>
#include <lz4hc.h>

#include "chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

// Level 0: the fast encoder; 1 to 12: the one that looks longer for matches.
Bytes compressed(const Bytes& text, int level) {
  Bytes block(LZ4_compressBound(static_cast<int>(text.size())));
  const auto* from = reinterpret_cast<const char*>(text.data());
  auto* to = reinterpret_cast<char*>(block.data());
  const int bytes = level == 0 ? LZ4_compress_default(from, to, static_cast<int>(text.size()), static_cast<int>(block.size()))
                               : LZ4_compress_HC(from, to, static_cast<int>(text.size()), static_cast<int>(block.size()), level);
  block.resize(bytes);
  return block;
}

// The text by liblz4; nothing where it refuses the block. Offsets of 0, which it takes, are looked for by hand.
std::optional<Bytes> oracle(const Chunk& chunk) {
  Bytes text(chunk.capacity + 1);
  const int bytes = LZ4_decompress_safe(reinterpret_cast<const char*>(chunk.bytes.data()), reinterpret_cast<char*>(text.data()),
                                        static_cast<int>(chunk.bytes.size()), static_cast<int>(chunk.capacity));
  if (bytes < 0) return {};
  text.resize(bytes);
  return text;
}

bool has_distance_zero(const Bytes& block) {
  for (std::size_t at = 0; at < block.size();) {
    const std::uint8_t token = block[at++];
    std::size_t literals = token / 16;
    for (std::uint8_t byte = literals == 15 ? 255 : 0; byte == 255 && at < block.size();) byte = block[at++], literals += byte;
    at += literals;
    if (at + 2 > block.size()) return false;
    if (block[at] == 0 && block[at + 1] == 0) return true;
    at += 2;
    for (std::uint8_t byte = token % 16 == 15 ? 255 : 0; byte == 255 && at < block.size();) byte = block[at++];
  }
  return false;
}

std::vector<Bytes> texts_of_all_kinds(std::uint64_t bytes) {
  std::vector<Bytes> texts = {words_text(bytes, 1), random_text(bytes, 2), random_text(bytes, 3, 4), Bytes(bytes, 0)};
  texts.push_back(numbers_text(bytes, 4));
  for (std::uint32_t seed = 0; seed < 6; seed++) texts.push_back(mixed_text(bytes, seed));
  for (std::uint32_t period = 1; period <= 64; period++) texts.push_back(period_text(bytes / 8 + period, period));
  return texts;
}

void expect_texts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Bytes>& texts, int level,
                  Layout layout) {
  std::vector<Chunk> chunks;
  for (const Bytes& text : texts) chunks.push_back({compressed(text, level), text.size()});
  const auto result = decoded(device, Format::lz4, variant, chunks, layout);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < texts.size(); i++) {
    ASSERT_OK(status_of(Format::lz4, i, (*result)[i].verdict));
    ASSERT_EQ((*result)[i].text.size(), texts[i].size()) << "text " << i;
    for (std::size_t at = 0; at < texts[i].size(); at++) ASSERT_EQ((*result)[i].text[at], texts[i][at]) << "text " << i << ", byte " << at;
  }
}

// Every verdict is liblz4's, and every text of a sound block.
void expect_verdicts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Chunk>& chunks) {
  const auto result = decoded(device, Format::lz4, variant, chunks);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const Verdict verdict = (*result)[i].verdict;
    const std::optional<Bytes> expected = oracle(chunks[i]);
    if (has_distance_zero(chunks[i].bytes)) {
      if (verdict.fault == Fault::none) ADD_FAILURE() << "chunk " << i << " has a match at distance 0";
      continue;
    }
    ASSERT_EQ(verdict.fault == Fault::none, expected.has_value()) << "chunk " << i << ": " << status_of(Format::lz4, i, verdict).text();
    if (expected) ASSERT_EQ((*result)[i].text, *expected) << "chunk " << i;
    else ASSERT_LE(verdict.offset, chunks[i].bytes.size()) << "chunk " << i;
  }
}

std::vector<Chunk> prefixes(const Bytes& block, std::uint64_t capacity) {
  std::vector<Chunk> chunks;
  for (std::size_t bytes = 0; bytes <= block.size(); bytes++) chunks.push_back({Bytes(block.begin(), block.begin() + bytes), capacity});
  return chunks;
}

std::vector<Chunk> single_changes(const Bytes& block, std::uint64_t capacity, std::uint32_t step) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 0; at < block.size(); at++)
    for (std::uint32_t flip = 1; flip < 256; flip += step) {
      Bytes changed = block;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      chunks.push_back({std::move(changed), capacity});
    }
  return chunks;
}

TEST(Lz4Chunks, TextsOfAllKindsComeBack) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (const int level : {0, 1, 12}) expect_texts(device, variant, texts_of_all_kinds(65536), level, {});
  });
}

TEST(Lz4Chunks, RoomsThatBeginAnywhereKeepTheirNeighbours) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Bytes> texts;
    for (std::uint32_t bytes = 0; bytes < 300; bytes++) texts.push_back(mixed_text(bytes, bytes));
    for (const Layout layout : {Layout{0, 1}, Layout{1, 1}, Layout{7, 1}, Layout{3, 4}}) expect_texts(device, variant, texts, 0, layout);
  });
}

TEST(Lz4Chunks, LargeBlocksAreNotCutAtSixteenBits) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    const std::vector<Bytes> texts = {mixed_text(5'000'000, 9), words_text(4'194'304, 10), Bytes(9'000'000, 7), random_text(3'000'001, 11)};
    expect_texts(device, variant, texts, 0, {});
  });
}

TEST(Lz4Chunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes text = mixed_text(700, seed);
      expect_verdicts(device, variant, prefixes(compressed(text, 0), text.size()));
    }
    const Bytes runs(100'000, 3);
    expect_verdicts(device, variant, prefixes(compressed(runs, 0), runs.size()));
  });
}

TEST(Lz4Chunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = seed == 0 ? words_text(600, 1) : mixed_text(600, seed);
      expect_verdicts(device, variant, single_changes(compressed(text, 0), text.size() + 40 * seed, 1));
    }
  });
}

TEST(Lz4Chunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Chunk> chunks;
    const Bytes text = mixed_text(400, 5), block = compressed(text, 0);
    for (std::uint64_t capacity = 0; capacity < 450; capacity++) chunks.push_back({block, capacity});
    expect_verdicts(device, variant, chunks);
  });
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
  on_each_chunk_variant(Format::lz4, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    expect_verdicts(device, variant, chunks);
  });
}

TEST(Lz4Chunks, AFaultNamesItsTokenAndNotThoseBefore) {
  // "abcd" and a match, twice sound, then one from before the text's beginning.
  const Bytes block = {0x40, 'a', 'b', 'c', 'd', 4, 0, 0x10, 'x', 4, 0, 0x10, 'y', 200, 0, 0x50, 1, 2, 3, 4, 5};
  on_each_chunk_variant(Format::lz4, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    TAKE(const auto result, decoded(device, Format::lz4, variant, {{block, 100}}));
    EXPECT_EQ(result[0].verdict.fault, Fault::bad_distance);
    EXPECT_EQ(result[0].verdict.offset, 11u);
    EXPECT_EQ(status_of(Format::lz4, 0, result[0].verdict).code(), Code::corrupt);
  });
}

TEST(Lz4Chunks, MemoryThatIsTooSmallIsRefused) {
  on_each_chunk_variant(Format::lz4, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    TAKE(const auto queue, device->queue());
    TAKE(const auto decoder, Decoder::build(device, Format::lz4, variant));
    TAKE(const auto small, device->allocate(64));
    TAKE(const auto scratch, device->allocate(decoder->scratch_bytes(9)));
    Batch batch{9, small, small, small, small, small, small, small, small};
    EXPECT_EQ(decoder->enqueue(*queue, batch, *scratch).code(), Code::invalid);
    batch.chunk_count = 8;
    EXPECT_EQ(decoder->enqueue(*queue, batch, *small).code(), Code::invalid);
  });
}

// The texts of kernels themselves, under sanitizers, their barriers and races checked: teams that are groups and teams that are sub-groups.
class Lz4ChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(Lz4ChunksOnHost, TextsComeBackAndBadBlocksAreTold) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  for (const std::string& variant : Decoder::variants(Format::lz4, device->traits())) {
    SCOPED_TRACE(variant);
    std::vector<Bytes> texts = {words_text(9000, 1), random_text(3000, 2), Bytes(20'000, 1), {}, {1}};
    for (std::uint32_t seed = 0; seed < 4; seed++) texts.push_back(mixed_text(5000, seed)), texts.push_back(numbers_text(3000, seed));
    for (std::uint32_t period = 1; period <= 17; period++) texts.push_back(period_text(700, period));
    expect_texts(device, variant, texts, 0, {});
    expect_texts(device, variant, {mixed_text(900, 20), mixed_text(77, 21)}, 0, {5, 1});
    const Bytes text = mixed_text(300, 7), block = compressed(text, 0);
    expect_verdicts(device, variant, prefixes(block, text.size()));
    expect_verdicts(device, variant, single_changes(block, text.size(), 51));
  }
}
INSTANTIATE_TEST_SUITE_P(Teams, Lz4ChunksOnHost,
                         ::testing::Values(kernel::HostDeviceOptions{}, kernel::HostDeviceOptions{.order = kernel::ItemOrder::reverse},
                                           kernel::HostDeviceOptions{.order = kernel::ItemOrder::shuffled, .subgroup_size = 32},
                                           kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}));

}  // namespace
}  // namespace penstock::chunks
