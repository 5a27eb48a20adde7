// LZ4 blocks made on every device by every variant that fits it: liblz4 and our own decoders read
// them, they are nearly as small as liblz4's, the same from every variant, and stay in their rooms.
#include <gtest/gtest.h>

#include "on_device/codec/encode_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

TEST(Lz4Encoding, TextsOfAllKindsAreRead) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    for (const std::uint64_t bytes : {65536, 131072})
      expect_round_trip(way, lz4_reference(), texts_of_all_kinds(bytes));
  });
}

TEST(Lz4Encoding, TextsOfNoneToFortyBytesAreRead) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    for (const Layout layout : {Layout{}, Layout{0, 1}, Layout{7, 1}})
      expect_round_trip(way, lz4_reference(), texts_of_none_to_forty_bytes(), layout);
  });
}

TEST(Lz4Encoding, PlacesOfLongTextsAreNotCutAtSixteenBits) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    expect_round_trip(way, lz4_reference(), large_texts());
    Bytes far = random_text(1000, 1);  // a thousand bytes that come back behind 29000 others
    far.resize(30'000, 0);
    for (std::size_t i = 30'000; i < 1'000'000; i++) far.push_back(far[i - 30'000]);
    EXPECT_LT(chunks_of(way, Format::lz4, {far})[0].size(), 12'000u);
  });
}

TEST(Lz4Encoding, RandomBytesStayWithinTheBound) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    std::vector<Bytes> texts;
    for (const std::uint64_t bytes : {14, 15, 269, 270, 271, 525, 65536, 100'003})
      texts.push_back(random_text(bytes, 5));
    expect_round_trip(way, lz4_reference(), texts);
  });
}

TEST(Lz4Encoding, BlocksAreNearlyAsSmallAsTheLibrarys) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    expect_nearly_as_small(
        way, lz4_reference(),
        {words_text(65536, 1), numbers_text(65536, 2), mixed_text(65536, 3),
         random_text(65536, 4, 4), period_text(65536, 40), words_text(1'000'000, 5)});
  });
}

TEST(Lz4Encoding, RoomsAreKept) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    expect_rooms_are_kept(
        way, Format::lz4,
        {{}, {1}, mixed_text(400, 5), random_text(300, 6), words_text(900, 7), Bytes(40'000, 3)});
  });
}

TEST(Lz4Encoding, WhatIsNotEncodedIsRefused) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    EXPECT_TRUE(Encoder::variants(Format::snappy, device->traits()).empty());
    EXPECT_EQ(Encoder::build(device, Format::snappy).status().code(), Code::unsupported);
    EXPECT_EQ(Encoder::build(device, Format::lz4, "none").status().code(), Code::invalid);
  });
}

TEST(Lz4Encoding, MemoryThatIsTooSmallIsRefused) {
  on_each_way<Encoder>(Format::lz4, [](const Way& way) {
    TAKE(const auto queue, way.device->queue());
    TAKE(const auto encoder, Encoder::build(way.device, Format::lz4, way.variant));
    TAKE(const auto small, way.device->allocate(64));
    TAKE(const auto scratch, way.device->allocate(encoder->scratch_bytes(9)));
    const Batch batch{9, small, small, small, small, small, small, small, small};
    EXPECT_EQ(encoder->enqueue(*queue, batch, *scratch).code(), Code::invalid);
  });
}

TEST(Lz4Encoding, ABlockIsTheSameOnEveryDevice) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Way host{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                 "lz4_encode_items"};
  const std::vector<Bytes> texts = {words_text(30'000, 1), mixed_text(100'000, 2),
                                    numbers_text(9000, 3), random_text(100, 4, 3)};
  const std::vector<Bytes> expected = chunks_of(host, Format::lz4, texts);
  on_each_way<Encoder>(Format::lz4, [&](const Way& way) {
    EXPECT_TRUE(chunks_of(way, Format::lz4, texts, {3, 1}) == expected);
  });
}

class Lz4EncodingOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(Lz4EncodingOnHost, BlocksAreThoseOfItems) {
  std::vector<Bytes> texts = {words_text(9000, 1), random_text(3000, 2), Bytes(20'000, 1),
                              words_text(70'000, 3), period_text(5000, 37)};
  for (std::uint32_t seed = 0; seed < 4; seed++)
    texts.push_back(mixed_text(5000, seed)), texts.push_back(numbers_text(3000, seed));
  for (std::uint32_t bytes = 0; bytes <= 20; bytes++)
    texts.push_back(Bytes(bytes, 'a')), texts.push_back(random_text(bytes, bytes));
  expect_chunks_of_items(GetParam(), lz4_reference(), "lz4_encode_items", texts);
}
INSTANTIATE_TEST_SUITE_P(Teams, Lz4EncodingOnHost, ::testing::ValuesIn(teams_on_host()));

}  // namespace
}  // namespace penstock::chunks
