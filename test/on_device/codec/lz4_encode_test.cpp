// LZ4 blocks encoded on every device by every variant that fits it. liblz4 and our own decoders
// read them, they are nearly as small as liblz4's, equal by every variant, and stay in their
// capacities.
#include <gtest/gtest.h>

#include "on_device/codec/encode_fixture.hpp"

namespace penstock::batch {
namespace {

TEST(Lz4Encoding, OutputsOfAllKindsAreRead) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    for (const std::uint64_t bytes : {65536, 131072})
      expect_round_trip(method, lz4_reference(), outputs_of_all_kinds(bytes));
  });
}

TEST(Lz4Encoding, OutputsOfNoneToFortyBytesAreRead) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    for (const Layout layout : {Layout{}, Layout{0, 1}, Layout{7, 1}})
      expect_round_trip(method, lz4_reference(), outputs_of_none_to_forty_bytes(), layout);
  });
}

TEST(Lz4Encoding, PositionsInLongOutputsAreNotCutAtSixteenBits) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    expect_round_trip(method, lz4_reference(), large_outputs());
    Bytes far = random_output(1000, 1);  // a thousand bytes that come back behind 29000 others
    far.resize(30'000, 0);
    for (std::size_t i = 30'000; i < 1'000'000; i++) far.push_back(far[i - 30'000]);
    EXPECT_LT(chunks_of(method, Format::lz4, {far})[0].size(), 12'000u);
  });
}

TEST(Lz4Encoding, RandomBytesStayWithinTheBound) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    std::vector<Bytes> outputs;
    for (const std::uint64_t bytes : {14, 15, 269, 270, 271, 525, 65536, 100'003})
      outputs.push_back(random_output(bytes, 5));
    expect_round_trip(method, lz4_reference(), outputs);
  });
}

TEST(Lz4Encoding, BlocksAreNearlyAsSmallAsTheLibrarys) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    expect_nearly_as_small(
        method, lz4_reference(),
        {words_text(65536, 1), numbers_output(65536, 2), mixed_output(65536, 3),
         random_output(65536, 4, 4), period_output(65536, 40), words_text(1'000'000, 5)});
  });
}

TEST(Lz4Encoding, CapacitiesAreKept) {
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    expect_capacities_are_kept(method, Format::lz4,
                               {{},
                                {1},
                                mixed_output(400, 5),
                                random_output(300, 6),
                                words_text(900, 7),
                                Bytes(40'000, 3)});
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
  on_each_method<Encoder>(Format::lz4, [](const Method& method) {
    TAKE(const auto queue, method.device->queue());
    TAKE(const auto encoder, Encoder::build(method.device, Format::lz4, method.variant));
    TAKE(const auto small, method.device->allocate(64));
    TAKE(const auto scratch, method.device->allocate(encoder->scratch_bytes(9)));
    const Batch batch{9, small, small, small, small, small, small, small, small};
    EXPECT_EQ(encoder->enqueue(*queue, batch, *scratch).code(), Code::invalid);
  });
}

TEST(Lz4Encoding, ABlockIsTheSameOnEveryDevice) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Method host{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                    "lz4_encode_thread"};
  const std::vector<Bytes> outputs = {words_text(30'000, 1), mixed_output(100'000, 2),
                                      numbers_output(9000, 3), random_output(100, 4, 3)};
  const std::vector<Bytes> expected = chunks_of(host, Format::lz4, outputs);
  on_each_method<Encoder>(Format::lz4, [&](const Method& method) {
    EXPECT_TRUE(chunks_of(method, Format::lz4, outputs, {3, 1}) == expected);
  });
}

class Lz4EncodingOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(Lz4EncodingOnHost, BlocksAreThoseOfThreads) {
  std::vector<Bytes> outputs = {words_text(9000, 1), random_output(3000, 2), Bytes(20'000, 1),
                                words_text(70'000, 3), period_output(5000, 37)};
  for (std::uint32_t seed = 0; seed < 4; seed++)
    outputs.push_back(mixed_output(5000, seed)), outputs.push_back(numbers_output(3000, seed));
  for (std::uint32_t bytes = 0; bytes <= 20; bytes++)
    outputs.push_back(Bytes(bytes, 'a')), outputs.push_back(random_output(bytes, bytes));
  expect_chunks_of_threads(GetParam(), lz4_reference(), "lz4_encode_thread", outputs);
}
INSTANTIATE_TEST_SUITE_P(Warps, Lz4EncodingOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
