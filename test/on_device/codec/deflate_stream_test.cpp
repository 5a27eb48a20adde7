// One Deflate stream decoded by many warps, on every device and on the host executor, against zlib.
// Segments begin in strides of a few bytes, so that short streams have many, with right and wrong
// guesses of where blocks begin.
#include <gtest/gtest.h>

#include "on_device/codec/deflate_stream_fixture.hpp"

namespace penstock::deflate {
namespace {

TEST(DeflateStream, OutputsOfAllKindsComeBack) {
  on_each_device([](Device& found) {
    TAKE(auto decoder,
         StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 4096}));
    for (const Bytes& output : batch::outputs_of_all_kinds(300'000))
      for (const int level : {0, 1, 6, 9})
        expect_output(decoder, batch::deflate_compressed(output, {.level = level}), output);
    const Bytes long_output = batch::words_text(3'000'000, 1);
    expect_output(decoder, batch::deflate_compressed(long_output), long_output, 10);
  });
}

TEST(DeflateStream, DamageGetsTheStatusOfZlib) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 64}));
    for (const Bytes& output : {batch::mixed_output(2000, 7), batch::words_text(12'000, 1)}) {
      const Bytes stream = batch::deflate_compressed(output, short_blocks);
      expect_statuses(decoder, batch::prefixes(stream, 0));
      expect_statuses(decoder, batch::single_changes(stream, 0, 85));
    }
  });
}

TEST(DeflateStream, BlocksOfAllKindsComeBack) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id),
                                            {.stride_bytes = 64, .batch_unit_bytes = 300'000}));
    const Bytes output = batch::mixed_output(200'000, 3);
    for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
      for (const int memory : {1, 3, 9})
        expect_output(decoder, batch::deflate_compressed(output, {6, strategy, memory}), output);
  });
}

// A stored block that holds another stream. The other stream's blocks are found in it: guesses that
// are all wrong.
TEST(DeflateStream, StreamsInStoredBlocksAreNotTaken) {
  const Bytes inner = batch::deflate_compressed(batch::words_text(120'000, 5), short_blocks);
  const Bytes outer = batch::deflate_compressed(inner, {.level = 0});
  on_each_device([&](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 64}));
    expect_output(decoder, outer, inner);
  });
}

// Consecutive streams, found and measured at once.
TEST(DeflateStream, SeveralStreamsOfOneInputAreFollowed) {
  std::vector<Bytes> outputs;
  Bytes all(3, 0xff);
  std::vector<std::uint64_t> begins;
  for (std::uint32_t i = 0; i < 5; i++) {
    outputs.push_back(batch::words_text(20'000 * i, i));
    begins.push_back(all.size());
    const Bytes stream = batch::deflate_compressed(outputs.back(), short_blocks);
    all.insert(all.end(), stream.begin(), stream.end());
  }
  on_each_device([&](Device& found) {
    TAKE(auto decoder,
         StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 256}));
    ASSERT_OK(decoder.decode(all, begins[0]));
    for (std::size_t i = 0; i < outputs.size(); i++) {
      TAKE(const Outcome outcome, decoder.follow(begins[i]));
      EXPECT_EQ(outcome.output, outputs[i]);
      EXPECT_EQ(outcome.end_byte, i + 1 < outputs.size() ? begins[i + 1] : all.size());
    }
  });
}

TEST(DeflateStream, ADistanceBeforeTheStreamIsAError) {
  const Bytes output = batch::words_text(300'000, 1);
  Bytes stream = batch::deflate_compressed(output, short_blocks);
  on_each_device([&](Device& found) {
    TAKE(auto decoder,
         StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 1024}));
    TAKE(const auto whole, decoder.decode(stream));
    ASSERT_GT(whole.piece_count, 4u);
    TAKE(const MeasuredStream measured, decoder.pieces->follow(*decoder.queue, 0));
    // The same blocks without the first ones; the other blocks repeat their output.
    const std::uint64_t begin = measured.segments[3].begin_bit;
    Bytes rest((stream.size() * 8 - begin + 7) / 8 + 1);
    for (std::uint64_t bit = begin; bit < stream.size() * 8; bit++)
      rest[(bit - begin) / 8] |=
          static_cast<std::uint8_t>((stream[bit / 8] >> bit % 8 & 1) << (bit - begin) % 8);
    TAKE(const auto outcome, decoder.decode(rest));
    EXPECT_EQ(outcome.error.error, batch::ErrorCode::invalid_distance);
  });
}

class DeflateStreamOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateStreamOnHost, SmallOutputsComeBack) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  TAKE(auto decoder,
       StreamDecoder::build(kernel::make_host_device(GetParam()), {.stride_bytes = 256}));
  for (const Bytes& output : {batch::words_text(150'000, 3), batch::numbers_output(100'000, 3)})
    expect_output(decoder, batch::deflate_compressed(output), output);
  for (const Bytes& output : {batch::words_text(20'000, 1), batch::mixed_output(40'000, 2),
                              Bytes(70'000, 7), Bytes(), Bytes{1}})
    expect_output(decoder, batch::deflate_compressed(output, short_blocks), output,
                  output.size() == 20'000 ? 4 : 1);
}
TEST_P(DeflateStreamOnHost, DamageGetsTheStatusOfZlib) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  TAKE(auto decoder,
       StreamDecoder::build(kernel::make_host_device(GetParam()), {.stride_bytes = 64}));
  const Bytes stream = batch::deflate_compressed(batch::words_text(12'000, 1), short_blocks);
  std::vector<batch::Chunk> damaged = batch::single_changes(stream, 0, 255), chosen;
  for (std::size_t i = 0; i < damaged.size(); i += 101)
    chosen.push_back(damaged[i]),
        chosen.push_back(
            {Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(i)), 0});
  expect_statuses(decoder, chosen);
}
INSTANTIATE_TEST_SUITE_P(Warps, DeflateStreamOnHost, ::testing::ValuesIn(batch::warps_on_host()));

}  // namespace
}  // namespace penstock::deflate
