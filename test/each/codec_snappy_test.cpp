// Snappy blocks decoded on every device by every variant that fits it, against libsnappy: texts, and the verdict on what is not sound.
#include <gtest/gtest.h>
#include <snappy-c.h>

#include "chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

Bytes compressed(const Bytes& text) {
  std::size_t bytes = snappy_max_compressed_length(text.size());
  Bytes block(bytes);
  EXPECT_EQ(snappy_compress(reinterpret_cast<const char*>(text.data()), text.size(), reinterpret_cast<char*>(block.data()), &bytes),
            SNAPPY_OK);
  block.resize(bytes);
  return block;
}

// The text by libsnappy; nothing where it refuses the block.
std::optional<Bytes> oracle(const Chunk& chunk) {
  const auto* from = reinterpret_cast<const char*>(chunk.bytes.data());
  std::size_t bytes = 0;
  if (snappy_uncompressed_length(from, chunk.bytes.size(), &bytes) != SNAPPY_OK || bytes > chunk.capacity) return {};
  Bytes text(bytes + 1);
  if (snappy_uncompress(from, chunk.bytes.size(), reinterpret_cast<char*>(text.data()), &bytes) != SNAPPY_OK) return {};
  text.resize(bytes);
  return text;
}

std::vector<Bytes> texts_of_all_kinds(std::uint64_t bytes) {
  std::vector<Bytes> texts = {words_text(bytes, 1), random_text(bytes, 2), random_text(bytes, 3, 4), Bytes(bytes, 0)};
  texts.push_back(numbers_text(bytes, 4));
  for (std::uint32_t seed = 0; seed < 6; seed++) texts.push_back(mixed_text(bytes, seed));
  for (std::uint32_t period = 1; period <= 64; period++) texts.push_back(period_text(bytes / 8 + period, period));
  return texts;
}

void expect_texts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Bytes>& texts, Layout layout) {
  std::vector<Chunk> chunks;
  for (const Bytes& text : texts) chunks.push_back({compressed(text), text.size()});
  const auto result = decoded(device, Format::snappy, variant, chunks, layout);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < texts.size(); i++) {
    ASSERT_OK(status_of(Format::snappy, i, (*result)[i].verdict));
    ASSERT_EQ((*result)[i].text.size(), texts[i].size()) << "text " << i;
    for (std::size_t at = 0; at < texts[i].size(); at++) ASSERT_EQ((*result)[i].text[at], texts[i][at]) << "text " << i << ", byte " << at;
  }
}

// Every verdict is libsnappy's, and every text of a sound block.
void expect_verdicts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Chunk>& chunks) {
  const auto result = decoded(device, Format::snappy, variant, chunks);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const Verdict verdict = (*result)[i].verdict;
    const std::optional<Bytes> expected = oracle(chunks[i]);
    ASSERT_EQ(verdict.fault == Fault::none, expected.has_value()) << "chunk " << i << ": " << status_of(Format::snappy, i, verdict).text();
    if (expected) ASSERT_EQ((*result)[i].text, *expected) << "chunk " << i;
    else ASSERT_LE(verdict.offset, chunks[i].bytes.size()) << "chunk " << i;
  }
}

// Blocks put together tag by tag.
struct Block {
  Bytes bytes;
  explicit Block(std::uint64_t text_bytes) {
    for (; text_bytes >= 128; text_bytes /= 128) bytes.push_back(static_cast<std::uint8_t>(text_bytes % 128 + 128));
    bytes.push_back(static_cast<std::uint8_t>(text_bytes));
  }
  // `number_bytes`: 0 where the tag has the number of literals; else those that it takes behind the tag.
  Block& literals(std::uint32_t count, std::uint32_t number_bytes = 0) {
    tag(number_bytes == 0 ? (count - 1) * 4 : (59 + number_bytes) * 4, count - 1, number_bytes);
    for (std::uint32_t i = 0; i < count; i++) bytes.push_back(static_cast<std::uint8_t>(bytes.size() * 7));
    return *this;
  }
  Block& near(std::uint32_t count, std::uint32_t distance) { return tag(1 + (count - 4) * 4 + distance / 256 * 32, distance, 1); }
  Block& far(std::uint32_t count, std::uint32_t distance) { return tag(2 + (count - 1) * 4, distance, 2); }
  Block& farther(std::uint32_t count, std::uint32_t distance) { return tag(3 + (count - 1) * 4, distance, 4); }
  Block& tag(std::uint32_t first, std::uint32_t number, std::uint32_t number_bytes) {
    bytes.push_back(static_cast<std::uint8_t>(first));
    for (std::uint32_t i = 0; i < number_bytes; i++) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
    return *this;
  }
};

// Tags of all kinds and lengths in any order, as encoders need not alternate them: literals behind literals, copies behind copies.
Chunk chunk_of_all_tags(std::uint32_t tags, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  std::uint32_t made = 0;
  Block body(0);
  for (std::uint32_t i = 0; i < tags; i++) {
    const std::uint32_t kind = made == 0 ? 0 : below(4), distance = made == 0 ? 0 : 1 + below(std::min(made, 1u << below(17)));
    std::uint32_t count = 1 + below(below(3) == 0 ? 64 : 8);
    if (kind == 0 && below(16) == 0) count = 1 + below(400);
    if (kind == 0) body.literals(count, count > 256 ? 2 + below(3) : count > 60 || below(8) == 0 ? 1 : 0);
    if (kind == 1) body.near(count = 4 + count % 8, std::min(distance, 2047u));
    if (kind == 2) body.far(count, std::min(distance, 65535u));
    if (kind == 3) body.farther(count, distance);
    made += count;
  }
  Bytes block = Block(made).bytes;
  block.insert(block.end(), body.bytes.begin() + 1, body.bytes.end());
  return {block, made};
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

TEST(SnappyChunks, TextsOfAllKindsComeBack) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    expect_texts(device, variant, texts_of_all_kinds(65536), {});
  });
}

TEST(SnappyChunks, TagsInAnyOrderAreDecodedAsTheReferenceDoes) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Chunk> chunks;
    for (std::uint32_t seed = 0; seed < 60; seed++) chunks.push_back(chunk_of_all_tags(1 + seed * 50, seed));
    for (const Chunk& chunk : chunks) ASSERT_TRUE(oracle(chunk).has_value());
    expect_verdicts(device, variant, chunks);
  });
}

TEST(SnappyChunks, RoomsThatBeginAnywhereKeepTheirNeighbours) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Bytes> texts;
    for (std::uint32_t bytes = 0; bytes < 300; bytes++) texts.push_back(mixed_text(bytes, bytes));
    for (const Layout layout : {Layout{0, 1}, Layout{1, 1}, Layout{7, 1}, Layout{3, 4}}) expect_texts(device, variant, texts, layout);
  });
}

TEST(SnappyChunks, LargeBlocksAreNotCutAtSixteenBits) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    const std::vector<Bytes> texts = {mixed_text(5'000'000, 9), words_text(4'194'304, 10), Bytes(9'000'000, 7), random_text(3'000'001, 11)};
    expect_texts(device, variant, texts, {});
    Block far(600'064);
    far.literals(300'000, 3).farther(64, 300'000).literals(300'000, 4);
    expect_verdicts(device, variant, {{far.bytes, 600'064}});
  });
}

TEST(SnappyChunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes text = mixed_text(700, seed);
      expect_verdicts(device, variant, prefixes(compressed(text), text.size()));
    }
    const Chunk chunk = chunk_of_all_tags(200, 77);
    expect_verdicts(device, variant, prefixes(chunk.bytes, chunk.capacity));
  });
}

TEST(SnappyChunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = seed == 0 ? words_text(600, 1) : mixed_text(600, seed);
      expect_verdicts(device, variant, single_changes(compressed(text), text.size() + 40 * seed, 1));
    }
    const Chunk chunk = chunk_of_all_tags(60, 78);
    expect_verdicts(device, variant, single_changes(chunk.bytes, chunk.capacity + 1000, 1));
  });
}

TEST(SnappyChunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::snappy, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Chunk> chunks;
    const Bytes text = mixed_text(400, 5), block = compressed(text);
    for (std::uint64_t capacity = 0; capacity < 450; capacity++) chunks.push_back({block, capacity});
    expect_verdicts(device, variant, chunks);
  });
}

TEST(SnappyChunks, BlocksMadeByHandAreJudgedRight) {
  const std::vector<Chunk> chunks = {
      {{}, 10}, {{0}, 0}, {{0}, 10}, {{0, 0, 'a'}, 10}, {{1}, 10}, {{1, 0, 'a'}, 1}, {{1, 0, 'a'}, 0}, {{1, 0}, 1}, {{2, 4, 'a'}, 9},
      // Lengths of the text: in more bytes than they need, of 32 bits, of more.
      {{0x81, 0, 0, 'a'}, 9}, {{0x81, 0x80, 0x80, 0x80, 0, 0, 'a'}, 9}, {{0x81, 0x80, 0x80, 0x80, 0x80, 0, 0, 'a'}, 9},
      {{0xff, 0xff, 0xff, 0xff, 15, 0, 'a'}, 9}, {{0xff, 0xff, 0xff, 0xff, 16, 0, 'a'}, 9}, {{0x81, 0x80, 0x80, 0x80, 0x10, 0, 'a'}, 9},
      {{0x81, 0x80}, 9}, {{0x80}, 9},
      // Text that ends before its length, or after.
      {Block(5).literals(4).bytes, 100}, {Block(3).literals(4).bytes, 100}, {Block(9).literals(4).near(4, 4).bytes, 100},
      {Block(7).literals(4).near(4, 4).bytes, 100}, {Block(8).literals(4).near(4, 4).bytes, 100},
      {Block(4).literals(4).literals(1).bytes, 100},
      // Distances: 0, and from before the text's beginning, of each width.
      {Block(8).literals(4).near(4, 0).bytes, 100}, {Block(8).literals(4).far(4, 0).bytes, 100},
      {Block(8).literals(4).farther(4, 0).bytes, 100}, {Block(8).literals(4).near(4, 5).bytes, 100},
      {Block(8).literals(4).far(4, 5).bytes, 100}, {Block(8).literals(4).farther(4, 5).bytes, 100},
      {Block(8).literals(4).farther(4, 0xffffffff).bytes, 100}, {Block(4).near(4, 1).bytes, 100},
      {Block(5).far(1, 1).literals(4).bytes, 100},
      // Numbers of literals: in more bytes than they need, and that the input has no bytes of.
      {Block(1).literals(1, 1).bytes, 9}, {Block(1).literals(1, 4).bytes, 9}, {Block(61).literals(61, 1).bytes, 99},
      {Block(129).literals(129, 1).bytes, 999}, {Block(256).literals(256, 1).bytes, 999}, {Block(257).literals(257, 2).bytes, 999},
      {Block(1).tag(63 * 4, 0xffffffff, 4).bytes, 9}, {Block(1).tag(62 * 4, 0, 2).bytes, 9},
      {Bytes(2048, 0x01), 100'000}, {Bytes(2048, 0xfc), 100'000}, {Bytes(64, 0), 100}};
  on_each_chunk_variant(Format::snappy, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    expect_verdicts(device, variant, chunks);
  });
}

struct Judged { Block block; std::uint64_t capacity; Fault fault; std::uint32_t offset; };
TEST(SnappyChunks, AFaultNamesItsTagAndNotThoseBefore) {
  const std::vector<Judged> rows = {
      {Block(20).literals(4).near(4, 4).literals(1).near(4, 20).literals(7), 100, Fault::bad_distance, 10},
      {Block(20).literals(4).near(4, 4).literals(13), 100, Fault::bad_length, 8},
      {Block(20).literals(4).near(4, 4).literals(11), 100, Fault::bad_length, 20},
      {Block(20).literals(4).near(4, 4).literals(12), 19, Fault::too_long, 0},
      {Block(20).literals(4).far(8, 4).tag(2 + 7 * 4, 4, 1), 100, Fault::truncated, 9},
      // 2^32 literals, which libsnappy takes for none.
      {Block(0).tag(63 * 4, 0xffffffff, 4), 100, Fault::truncated, 1}};
  on_each_chunk_variant(Format::snappy, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (const Judged& row : rows) {
      TAKE(const auto result, decoded(device, Format::snappy, variant, {{row.block.bytes, row.capacity}}));
      EXPECT_EQ(result[0].verdict.fault, row.fault) << status_of(Format::snappy, 0, result[0].verdict).text();
      EXPECT_EQ(result[0].verdict.offset, row.offset);
    }
  });
  EXPECT_EQ(status_of(Format::snappy, 3, {Fault::bad_length, 8}).text(),
            "corrupt: Snappy chunk 3, byte 8: text of another length than the chunk tells");
}

// The texts of kernels themselves, under sanitizers, their barriers and races checked: teams that are groups and teams that are sub-groups.
class SnappyChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(SnappyChunksOnHost, TextsComeBackAndBadBlocksAreTold) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  for (const std::string& variant : Decoder::variants(Format::snappy, device->traits())) {
    SCOPED_TRACE(variant);
    std::vector<Bytes> texts = {words_text(9000, 1), random_text(3000, 2), Bytes(20'000, 1), {}, {1}};
    for (std::uint32_t seed = 0; seed < 4; seed++) texts.push_back(mixed_text(5000, seed)), texts.push_back(numbers_text(3000, seed));
    for (std::uint32_t period = 1; period <= 17; period++) texts.push_back(period_text(700, period));
    expect_texts(device, variant, texts, {});
    expect_texts(device, variant, {mixed_text(900, 20), mixed_text(77, 21)}, {5, 1});
    expect_verdicts(device, variant, {chunk_of_all_tags(600, 1), chunk_of_all_tags(600, 2), chunk_of_all_tags(600, 3)});
    const Bytes text = mixed_text(300, 7), block = compressed(text);
    expect_verdicts(device, variant, prefixes(block, text.size()));
    expect_verdicts(device, variant, single_changes(block, text.size(), 51));
  }
}
INSTANTIATE_TEST_SUITE_P(Teams, SnappyChunksOnHost,
                         ::testing::Values(kernel::HostDeviceOptions{}, kernel::HostDeviceOptions{.order = kernel::ItemOrder::reverse},
                                           kernel::HostDeviceOptions{.order = kernel::ItemOrder::shuffled, .subgroup_size = 32},
                                           kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}));

}  // namespace
}  // namespace penstock::chunks
