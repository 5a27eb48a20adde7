// Deflate streams made on every device by every variant that fits it: zlib, libdeflate and our own
// decoders read them, they are nearly as small as zlib's of level 1, the same from every variant,
// and stay in their rooms.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "on_device/codec/encode_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

Reference zlib_1() { return deflate_reference({.level = 1}); }

// zlib and libdeflate.
std::optional<Bytes> read_by_both(const Chunk& chunk) {
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  Bytes text(chunk.capacity);
  std::size_t made = 0, read = 0;
  const auto outcome = libdeflate_deflate_decompress_ex(
      decompressor, chunk.bytes.data(), chunk.bytes.size(), text.data(), text.size(), &read, &made);
  libdeflate_free_decompressor(decompressor);
  if (outcome != LIBDEFLATE_SUCCESS || read != chunk.bytes.size() || made != text.size()) return {};
  const std::optional<Bytes> by_zlib = deflate_text(chunk, raw_window);
  return by_zlib == text ? by_zlib : std::nullopt;
}
Reference both() {
  return {Format::deflate, [](const Bytes& text) { return deflate_compressed(text, {.level = 1}); },
          read_by_both};
}

// Numbers of 64 bits that rise, as columns have them: what repeats lies nearer than a step of the
// matcher.
Bytes counters_text(std::uint64_t bytes) {
  std::mt19937_64 random(1);
  Bytes text;
  for (std::uint64_t row = 0; text.size() < bytes; row++)
    for (int i = 0; i < 8; i++)
      text.push_back(static_cast<std::uint8_t>(
          (1'767'225'600'000'000 + row * 1000 + random() % 1000) >> 8 * i));
  text.resize(bytes);
  return text;
}

// Each next symbol stands as often as the two before it together: without a limit, codes of 20 bits
// and more.
Bytes fibonacci_text() {
  Bytes text;
  std::uint32_t one = 1, two = 1;
  for (std::uint8_t symbol = 0; text.size() < 11'000; symbol++) {
    text.insert(text.end(), one, symbol);
    const std::uint32_t next = one + two;
    one = two, two = next;
  }
  std::mt19937 random(1);
  for (std::size_t i = text.size() - 1; i > 0; i--)
    std::swap(text[i], text[random() % (i + 1)]);  // so that there are no matches
  return text;
}

TEST(DeflateEncoding, TextsOfAllKindsAreRead) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    for (const std::uint64_t bytes : {65536, 131072})
      expect_round_trip(way, both(), texts_of_all_kinds(bytes));
  });
}

TEST(DeflateEncoding, TextsOfNoneToFortyBytesAreRead) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    for (const Layout layout : {Layout{}, Layout{0, 1}, Layout{7, 1}})
      expect_round_trip(way, both(), texts_of_none_to_forty_bytes(), layout);
  });
}

TEST(DeflateEncoding, PlacesOfLongTextsAreNotCutAtSixteenBits) {
  on_each_way<Encoder>(Format::deflate,
                       [](const Way& way) { expect_round_trip(way, both(), large_texts()); });
}

TEST(DeflateEncoding, NoMatchIsLongerOrFartherThanTheFormatHas) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    std::vector<Bytes> texts;
    for (std::uint32_t bytes = 250; bytes < 270; bytes++) texts.push_back(Bytes(bytes, 'x'));
    for (std::uint32_t bytes = 514; bytes < 526; bytes++) texts.push_back(Bytes(bytes, 'x'));
    for (const std::uint32_t zeros :
         {32'758, 32'759, 32'760, 32'761, 33'000}) {  // ten bytes that come back so much later
      Bytes far = random_text(10, 1);
      far.resize(10 + zeros, 0);
      for (std::size_t i = 0; i < 10; i++) far.push_back(far[i]);
      far.push_back(0);
      texts.push_back(far);
    }
    expect_round_trip(way, both(), texts);
  });
}

TEST(DeflateEncoding, CodesThatWouldBeTooLongAreLimited) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    expect_round_trip(way, both(), {fibonacci_text()});
    expect_nearly_as_small(way, zlib_1(), {fibonacci_text()});
  });
}

TEST(DeflateEncoding, RandomBytesStayWithinTheBound) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    std::vector<Bytes> texts;
    for (const std::uint64_t bytes : {100, 11'136, 11'137, 65'535, 65'536, 300'003})
      texts.push_back(random_text(bytes, 5));
    expect_round_trip(way, both(), texts);
    for (const Bytes& text : texts)
      EXPECT_LE(chunks_of(way, Format::deflate, {text})[0].size(),
                text.size() + text.size() / 1024 + 8);
  });
}

TEST(DeflateEncoding, StreamsAreNearlyAsSmallAsZlibs) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    expect_nearly_as_small(
        way, zlib_1(),
        {words_text(65536, 1), counters_text(65536), mixed_text(65536, 3), random_text(65536, 4, 4),
         period_text(65536, 40), words_text(1'000'000, 5), Bytes(65536, 0)});
  });
}

TEST(DeflateEncoding, RoomsAreKept) {
  on_each_way<Encoder>(Format::deflate, [](const Way& way) {
    expect_rooms_are_kept(way, Format::deflate,
                          {{},
                           {1},
                           mixed_text(400, 5),
                           random_text(300, 6),
                           words_text(900, 7),
                           Bytes(400'000, 3),
                           words_text(1500, 8)});
  });
}

TEST(DeflateEncoding, AStreamIsTheSameOnEveryDevice) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Way host{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                 "deflate_encode_items"};
  const std::vector<Bytes> texts = {words_text(30'000, 1), mixed_text(100'000, 2),
                                    numbers_text(9000, 3), random_text(100, 4, 3)};
  const std::vector<Bytes> expected = chunks_of(host, Format::deflate, texts);
  on_each_way<Encoder>(Format::deflate, [&](const Way& way) {
    EXPECT_TRUE(chunks_of(way, Format::deflate, texts, {3, 1}) == expected);
  });
}

class DeflateEncodingOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateEncodingOnHost, StreamsAreThoseOfItems) {
  std::vector<Bytes> texts = {words_text(9000, 1),   random_text(12'000, 2), Bytes(20'000, 1),
                              words_text(70'000, 3), period_text(5000, 37),  fibonacci_text()};
  for (std::uint32_t seed = 0; seed < 3; seed++)
    texts.push_back(mixed_text(4000, seed)), texts.push_back(numbers_text(3000, seed));
  for (std::uint32_t bytes = 0; bytes <= 20; bytes += 2)
    texts.push_back(Bytes(bytes, 'a')), texts.push_back(random_text(bytes, bytes));
  expect_chunks_of_items(GetParam(), both(), "deflate_encode_items", texts);
}
INSTANTIATE_TEST_SUITE_P(Teams, DeflateEncodingOnHost, ::testing::ValuesIn(teams_on_host()));

}  // namespace
}  // namespace penstock::chunks
