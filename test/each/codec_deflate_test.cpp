// Deflate streams decoded on every device by every variant that fits it, against zlib: texts, and the verdict on what is not sound.
#include <gtest/gtest.h>
#include <zlib.h>

#include "chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

Bytes compressed(const Bytes& text, int level, int strategy = Z_DEFAULT_STRATEGY, int memory = 8) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, -15, memory, strategy), Z_OK);
  Bytes chunk(deflateBound(&stream, text.size()) + 64);
  stream.next_in = const_cast<Bytef*>(text.data()), stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = chunk.data(), stream.avail_out = static_cast<uInt>(chunk.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  chunk.resize(stream.total_out);
  deflateEnd(&stream);
  return chunk;
}

// The text by zlib; nothing where it refuses the stream, the stream ends early, or there is more text than room.
std::optional<Bytes> oracle(const Chunk& chunk) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  Bytes text(chunk.capacity + 1);
  stream.next_in = const_cast<Bytef*>(chunk.bytes.data()), stream.avail_in = static_cast<uInt>(chunk.bytes.size());
  stream.next_out = text.data(), stream.avail_out = static_cast<uInt>(text.size());
  const int outcome = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  if (outcome != Z_STREAM_END || text.size() > chunk.capacity) return {};
  return text;
}

std::vector<Bytes> texts_of_all_kinds(std::uint64_t bytes) {
  std::vector<Bytes> texts = {words_text(bytes, 1), random_text(bytes, 2), random_text(bytes, 3, 4), Bytes(bytes, 0)};
  texts.push_back(numbers_text(bytes, 4));
  for (std::uint32_t seed = 0; seed < 6; seed++) texts.push_back(mixed_text(bytes, seed));
  for (std::uint32_t period = 1; period <= 64; period++) texts.push_back(period_text(bytes / 8 + period, period));
  return texts;
}

void expect_chunks(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Chunk>& chunks,
                   const std::vector<Bytes>& texts, Layout layout) {
  const auto result = decoded(device, Format::deflate, variant, chunks, layout);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < texts.size(); i++) {
    ASSERT_OK(status_of(Format::deflate, i, (*result)[i].verdict));
    ASSERT_EQ((*result)[i].text.size(), texts[i].size()) << "text " << i;
    for (std::size_t at = 0; at < texts[i].size(); at++) ASSERT_EQ((*result)[i].text[at], texts[i][at]) << "text " << i << ", byte " << at;
  }
}

void expect_texts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Bytes>& texts, int level,
                  Layout layout = {}, int strategy = Z_DEFAULT_STRATEGY, int memory = 8) {
  std::vector<Chunk> chunks;
  for (const Bytes& text : texts) chunks.push_back({compressed(text, level, strategy, memory), text.size()});
  expect_chunks(device, variant, chunks, texts, layout);
}

void expect_verdicts(const std::shared_ptr<Device>& device, std::string_view variant, const std::vector<Chunk>& chunks) {
  const auto result = decoded(device, Format::deflate, variant, chunks);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const Verdict verdict = (*result)[i].verdict;
    const std::optional<Bytes> expected = oracle(chunks[i]);
    ASSERT_EQ(verdict.fault == Fault::none, expected.has_value()) << "chunk " << i << ": " << status_of(Format::deflate, i, verdict).text();
    if (expected) ASSERT_EQ((*result)[i].text, *expected) << "chunk " << i;
    else ASSERT_LE(verdict.offset, chunks[i].bytes.size()) << "chunk " << i;
  }
}

std::vector<Chunk> prefixes(const Bytes& chunk, std::uint64_t capacity) {
  std::vector<Chunk> chunks;
  for (std::size_t bytes = 0; bytes <= chunk.size(); bytes++) chunks.push_back({Bytes(chunk.begin(), chunk.begin() + bytes), capacity});
  return chunks;
}

std::vector<Chunk> single_changes(const Bytes& chunk, std::uint64_t capacity, std::uint32_t step) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 0; at < chunk.size(); at++)
    for (std::uint32_t flip = 1; flip < 256; flip += step) {
      Bytes changed = chunk;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      chunks.push_back({std::move(changed), capacity});
    }
  return chunks;
}

TEST(DeflateChunks, TextsOfAllKindsComeBack) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (const int level : {0, 1, 6, 9}) expect_texts(device, variant, texts_of_all_kinds(65536), level);
    for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE}) expect_texts(device, variant, texts_of_all_kinds(20000), 6, {}, strategy);
    expect_texts(device, variant, texts_of_all_kinds(100'000), 6, {}, Z_DEFAULT_STRATEGY, 1);      // many small blocks
  });
}

TEST(DeflateChunks, RoomsThatBeginAnywhereKeepTheirNeighbours) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Bytes> texts;
    for (std::uint32_t bytes = 0; bytes < 300; bytes++) texts.push_back(mixed_text(bytes, bytes));
    for (const Layout layout : {Layout{0, 1}, Layout{1, 1}, Layout{7, 1}, Layout{3, 4}}) expect_texts(device, variant, texts, 6, layout);
  });
}

TEST(DeflateChunks, LargeStreamsAreDecodedWhole) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    const std::vector<Bytes> texts = {mixed_text(5'000'000, 9), words_text(4'194'304, 10), Bytes(9'000'000, 7), random_text(3'000'001, 11)};
    expect_texts(device, variant, texts, 6);
  });
}

TEST(DeflateChunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 4; seed++) {
      const Bytes text = mixed_text(900, seed);
      for (const int level : {0, 6}) expect_verdicts(device, variant, prefixes(compressed(text, level), text.size()));
    }
    const Bytes words = words_text(3000, 1), runs(100'000, 3);
    expect_verdicts(device, variant, prefixes(compressed(words, 9), words.size()));
    expect_verdicts(device, variant, prefixes(compressed(words, 9, Z_FIXED), words.size()));
    expect_verdicts(device, variant, prefixes(compressed(runs, 6), runs.size()));
  });
}

TEST(DeflateChunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = seed == 0 ? words_text(900, 1) : mixed_text(500, seed);
      expect_verdicts(device, variant, single_changes(compressed(text, seed == 2 ? 0 : 6), text.size() + 40 * seed, seed == 0 ? 1 : 3));
      expect_verdicts(device, variant, single_changes(compressed(text, 6, Z_FIXED), text.size() + 40 * seed, 3));
    }
  });
}

TEST(DeflateChunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Chunk> chunks;
    const Bytes text = mixed_text(400, 5), chunk = compressed(text, 6);
    for (std::uint64_t capacity = 0; capacity < 450; capacity++) chunks.push_back({chunk, capacity});
    expect_verdicts(device, variant, chunks);
  });
}

TEST(DeflateChunks, RandomBytesAreJudgedAsTheReferenceJudgesThem) {
  on_each_chunk_variant(Format::deflate, [](const std::shared_ptr<Device>& device, const std::string& variant) {
    std::vector<Chunk> chunks;
    for (std::uint32_t seed = 0; seed < 20'000; seed++) {
      Bytes bytes = random_text(1 + seed % 97, seed);
      bytes[0] = static_cast<std::uint8_t>((bytes[0] & ~7u) | (seed % 4 == 0 ? 3 : 5));      // a last block, of fixed or dynamic codes
      chunks.push_back({std::move(bytes), 2000});
    }
    expect_verdicts(device, variant, chunks);
  });
}

// Blocks without text cost their tables and windows all the same.
std::vector<Chunk> empty_blocks(std::size_t fours) {
  Bytes fixed(5 * fours, 0);      // four blocks of 10 bits in 5 bytes: no last one, fixed codes, the end of the block
  for (std::size_t bit = 1; bit < fixed.size() * 8; bit += 10) fixed[bit / 8] |= static_cast<std::uint8_t>(1u << (bit & 7));
  Bytes ended = fixed;
  ended.push_back(3), ended.push_back(0);      // the last block
  return {{fixed, 0}, {ended, 0}, {ended, 100}};
}
TEST(DeflateChunks, ThousandsOfEmptyBlocksEndSoon) {
  on_each_chunk_variant(Format::deflate, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    expect_verdicts(device, variant, empty_blocks(2000));
  });
}

TEST(DeflateChunks, AMatchFromBeforeTheTextIsNamedThoughThereIsNoRoomForItEither) {
  const Bytes chunk = {0x1b, 0x03, 0, 0};      // the last block, fixed codes, a match before any literal
  on_each_chunk_variant(Format::deflate, [&](const std::shared_ptr<Device>& device, const std::string& variant) {
    TAKE(const auto result, decoded(device, Format::deflate, variant, {{compressed(Bytes(600, 'a'), 6, Z_FIXED), 100}, {chunk, 1}}));
    EXPECT_EQ(result[0].verdict.fault, Fault::too_long);
    EXPECT_NE(result[1].verdict.fault, Fault::none);
    EXPECT_NE(result[1].verdict.fault, Fault::too_long);
  });
}

// The texts of kernels themselves, under sanitizers, their barriers and races checked: teams that are groups and teams that are sub-groups.
class DeflateChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateChunksOnHost, TextsComeBackAndBadStreamsAreTold) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  for (const std::string& variant : Decoder::variants(Format::deflate, device->traits())) {
    SCOPED_TRACE(variant);
    std::vector<Bytes> texts = {words_text(6000, 1), random_text(900, 2), Bytes(20'000, 1), {}, {1}};
    for (std::uint32_t seed = 0; seed < 3; seed++) texts.push_back(mixed_text(3000, seed)), texts.push_back(numbers_text(2000, seed));
    for (std::uint32_t period = 1; period <= 9; period++) texts.push_back(period_text(700, period));
    for (const int level : {0, 6}) expect_texts(device, variant, texts, level);
    expect_texts(device, variant, {mixed_text(900, 20), mixed_text(77, 21)}, 6, {5, 1});
    const Bytes text = mixed_text(200, 7), chunk = compressed(text, 6);
    expect_verdicts(device, variant, prefixes(chunk, text.size()));
    expect_verdicts(device, variant, single_changes(chunk, text.size(), 85));
    expect_verdicts(device, variant, empty_blocks(20));
  }
}
INSTANTIATE_TEST_SUITE_P(Teams, DeflateChunksOnHost,
                         ::testing::Values(kernel::HostDeviceOptions{}, kernel::HostDeviceOptions{.order = kernel::ItemOrder::reverse},
                                           kernel::HostDeviceOptions{.order = kernel::ItemOrder::shuffled, .subgroup_size = 32},
                                           kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}));

}  // namespace
}  // namespace penstock::chunks
