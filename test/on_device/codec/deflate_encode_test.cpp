// Deflate streams encoded on every device by every variant that fits it. zlib, libdeflate and our
// own decoders read them, they are nearly as small as zlib's of level 1, equal by every variant,
// and stay in their capacities.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "on_device/codec/encode_fixture.hpp"

namespace penstock::batch {
namespace {

Reference zlib_1() { return deflate_reference({.level = 1}); }

// zlib and libdeflate.
std::optional<Bytes> read_by_both(const Chunk& chunk) {
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  Bytes output(chunk.capacity);
  std::size_t made = 0, read = 0;
  const auto outcome =
      libdeflate_deflate_decompress_ex(decompressor, chunk.bytes.data(), chunk.bytes.size(),
                                       output.data(), output.size(), &read, &made);
  libdeflate_free_decompressor(decompressor);
  if (outcome != LIBDEFLATE_SUCCESS || read != chunk.bytes.size() || made != output.size())
    return {};
  const std::optional<Bytes> by_zlib = deflate_output(chunk, raw_window);
  return by_zlib == output ? by_zlib : std::nullopt;
}
Reference both() {
  return {Format::deflate,
          [](const Bytes& output) { return deflate_compressed(output, {.level = 1}); },
          read_by_both};
}

// Increasing numbers of 64 bits, as in columns: they repeat at distances below a step of the match
// finder.
Bytes counters_output(std::uint64_t bytes) {
  std::mt19937_64 random(1);
  Bytes output;
  for (std::uint64_t row = 0; output.size() < bytes; row++)
    for (int i = 0; i < 8; i++)
      output.push_back(static_cast<std::uint8_t>(
          (1'767'225'600'000'000 + row * 1000 + random() % 1000) >> 8 * i));
  output.resize(bytes);
  return output;
}

// Each next symbol occurs as often as the two before it together: without a limit, codes of 20 bits
// and more.
Bytes fibonacci_output() {
  Bytes output;
  std::uint32_t one = 1, two = 1;
  for (std::uint8_t symbol = 0; output.size() < 11'000; symbol++) {
    output.insert(output.end(), one, symbol);
    const std::uint32_t next = one + two;
    one = two, two = next;
  }
  std::mt19937 random(1);
  for (std::size_t i = output.size() - 1; i > 0; i--)
    std::swap(output[i], output[random() % (i + 1)]);  // so that there are no matches
  return output;
}

TEST(DeflateEncoding, OutputsOfAllKindsAreRead) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    for (const std::uint64_t bytes : {65536, 131072})
      expect_round_trip(method, both(), outputs_of_all_kinds(bytes));
  });
}

TEST(DeflateEncoding, OutputsOfNoneToFortyBytesAreRead) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    for (const Layout layout : {Layout{}, Layout{0, 1}, Layout{7, 1}})
      expect_round_trip(method, both(), outputs_of_none_to_forty_bytes(), layout);
  });
}

TEST(DeflateEncoding, PositionsInLongOutputsAreNotCutAtSixteenBits) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    expect_round_trip(method, both(), large_outputs());
  });
}

TEST(DeflateEncoding, NoMatchIsLongerOrFartherThanTheFormatHas) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    std::vector<Bytes> outputs;
    for (std::uint32_t bytes = 250; bytes < 270; bytes++) outputs.push_back(Bytes(bytes, 'x'));
    for (std::uint32_t bytes = 514; bytes < 526; bytes++) outputs.push_back(Bytes(bytes, 'x'));
    for (const std::uint32_t zeros :
         {32'758, 32'759, 32'760, 32'761, 33'000}) {  // ten bytes that come back so much later
      Bytes far = random_output(10, 1);
      far.resize(10 + zeros, 0);
      for (std::size_t i = 0; i < 10; i++) far.push_back(far[i]);
      far.push_back(0);
      outputs.push_back(far);
    }
    expect_round_trip(method, both(), outputs);
  });
}

TEST(DeflateEncoding, CodesThatWouldBeTooLongAreLimited) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    expect_round_trip(method, both(), {fibonacci_output()});
    expect_nearly_as_small(method, zlib_1(), {fibonacci_output()});
  });
}

TEST(DeflateEncoding, RandomBytesStayWithinTheBound) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    std::vector<Bytes> outputs;
    for (const std::uint64_t bytes : {100, 11'136, 11'137, 65'535, 65'536, 300'003})
      outputs.push_back(random_output(bytes, 5));
    expect_round_trip(method, both(), outputs);
    for (const Bytes& output : outputs)
      EXPECT_LE(chunks_of(method, Format::deflate, {output})[0].size(),
                output.size() + output.size() / 1024 + 8);
  });
}

TEST(DeflateEncoding, StreamsAreNearlyAsSmallAsZlibs) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    expect_nearly_as_small(method, zlib_1(),
                           {words_text(65536, 1), counters_output(65536), mixed_output(65536, 3),
                            random_output(65536, 4, 4), period_output(65536, 40),
                            words_text(1'000'000, 5), Bytes(65536, 0)});
  });
}

TEST(DeflateEncoding, CapacitiesAreKept) {
  on_each_method<Encoder>(Format::deflate, [](const Method& method) {
    expect_capacities_are_kept(method, Format::deflate,
                               {{},
                                {1},
                                mixed_output(400, 5),
                                random_output(300, 6),
                                words_text(900, 7),
                                Bytes(400'000, 3),
                                words_text(1500, 8)});
  });
}

TEST(DeflateEncoding, AStreamIsTheSameOnEveryDevice) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Method host{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                    "deflate_encode_thread"};
  const std::vector<Bytes> outputs = {words_text(30'000, 1), mixed_output(100'000, 2),
                                      numbers_output(9000, 3), random_output(100, 4, 3)};
  const std::vector<Bytes> expected = chunks_of(host, Format::deflate, outputs);
  on_each_method<Encoder>(Format::deflate, [&](const Method& method) {
    EXPECT_TRUE(chunks_of(method, Format::deflate, outputs, {3, 1}) == expected);
  });
}

class DeflateEncodingOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateEncodingOnHost, StreamsAreThoseOfThreads) {
  std::vector<Bytes> outputs = {words_text(9000, 1),     random_output(12'000, 2),
                                Bytes(20'000, 1),        words_text(70'000, 3),
                                period_output(5000, 37), fibonacci_output()};
  for (std::uint32_t seed = 0; seed < 3; seed++)
    outputs.push_back(mixed_output(4000, seed)), outputs.push_back(numbers_output(3000, seed));
  for (std::uint32_t bytes = 0; bytes <= 20; bytes += 2)
    outputs.push_back(Bytes(bytes, 'a')), outputs.push_back(random_output(bytes, bytes));
  expect_chunks_of_threads(GetParam(), both(), "deflate_encode_thread", outputs);
}
INSTANTIATE_TEST_SUITE_P(Warps, DeflateEncodingOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
