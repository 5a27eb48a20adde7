// One Deflate stream decoded by many warps, on every device and on the host executor, in segments
// that begin inside of blocks, against zlib. Segments have some hundred bytes, so that short
// streams have many.
#include <gtest/gtest.h>

#include <bit>

#include "deflate_streams.hpp"
#include "on_device/codec/deflate_stream_fixture.hpp"

namespace penstock::deflate {
namespace {

constexpr Cut short_parts = {.stride_bytes = 512, .part_bits = 2048};
// zlib's longest blocks, of 32767 symbols.
constexpr batch::DeflateOptions long_blocks = {
    .level = 6, .strategy = Z_DEFAULT_STRATEGY, .memory = 9};

// On each device, or by each kind of warp on the host.
enum class Where { devices, on_host };
class DeflateParts : public ::testing::TestWithParam<Where> {
 protected:
  template <class Body> void with_decoders(Cut cut, Body body) {
    if (GetParam() == Where::devices) {
      on_each_device([&](Device& found) {
        TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), cut));
        body(decoder);
      });
      return;
    }
    if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
    for (const auto& options : batch::warps_on_host()) {
      TAKE(auto decoder, StreamDecoder::build(kernel::make_host_device(options), cut));
      body(decoder);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Each, DeflateParts, ::testing::Values(Where::devices, Where::on_host),
                         [](const auto& named) {
                           return named.param == Where::devices ? "Devices" : "WarpsOnHost";
                         });

Bytes bytes_of_text(const std::string& output) { return Bytes(output.begin(), output.end()); }

// A block in which literals below 127 have codes of 7 bits, and so has its end, seven ones. A scan
// from a wrong bit stays wrong, and bytes below 64 contain no such end, from whatever bit they are
// read.
class SevenBits {
 public:
  SevenBits() {
    std::vector<unsigned> lengths(257, 0);
    std::fill_n(lengths.begin(), 127, 7u);
    lengths[256] = 7;
    writer_.header(false, 2).codes(lengths, {0});
  }
  void put(std::uint8_t literal) { writer_.code(literal, 7), output_.push_back(literal); }
  // The end of the block, and a last block.
  Bytes stream() {
    return bytes_of_text(writer_.code(127, 7).header(true, 1).code(0, 7).to_byte().bytes());
  }
  const Bytes& output() const { return output_; }

 private:
  BitWriter writer_;
  Bytes output_;
};

TEST_P(DeflateParts, OneLongBlockIsManySegments) {
  const Bytes output = batch::words_text(60'000, 1);
  const Bytes stream = batch::deflate_compressed(output, long_blocks);
  with_decoders(short_parts, [&](StreamDecoder& decoder) {
    expect_output(decoder, stream, output, stream.size() * 8 / 2048 / 2);
    EXPECT_LE(decoder.pieces->launches(), 12u);
  });
}

TEST_P(DeflateParts, CodesThatAreNeverRightAgainAreReadFromWhereTheyBegin) {
  SevenBits block;
  Random random(1);
  for (unsigned i = 0; i < 20'000; i++) block.put(static_cast<std::uint8_t>(random() % 64));
  const Bytes stream = block.stream();
  with_decoders(short_parts, [&](StreamDecoder& decoder) {
    expect_output(decoder, stream, block.output(), 4);
    EXPECT_LE(decoder.pieces->launches(), 24u);
    EXPECT_LE(decoder.pieces->measured_bits(), 6 * 8 * stream.size() + 4096);
  });
}

// Each of the seven ones in the data, read from another bit, ends the block for a wrong scan.
TEST_P(DeflateParts, EndsOfBlocksThatAreNoneAreNotTaken) {
  SevenBits block;
  Random random(2);
  for (unsigned i = 0; i < 20'000; i++) block.put(static_cast<std::uint8_t>(random() % 127));
  const Bytes stream = block.stream();
  with_decoders(short_parts, [&](StreamDecoder& decoder) {
    expect_output(decoder, stream, block.output());
    EXPECT_LE(decoder.pieces->measured_bits(), 6 * 8 * stream.size() + 4096);
  });
}

// Blocks of another stream as the codes of a block, so that wrong headers are found.
TEST_P(DeflateParts, HeadersInsideOfABlockAreNotTaken) {
  const Bytes inner = batch::deflate_compressed(batch::words_text(30'000, 5), short_blocks);
  SevenBits block;
  for (std::size_t bit = 0; bit + 7 <= 8 * inner.size(); bit += 7) {
    unsigned literal = 0;
    for (std::size_t i = bit; i < bit + 7; i++)
      literal = literal << 1 | (inner[i / 8] >> i % 8 & 1u);
    block.put(static_cast<std::uint8_t>(literal == 127 ? 126 : literal));
  }
  const Bytes stream = block.stream();
  with_decoders(short_parts,
                [&](StreamDecoder& decoder) { expect_output(decoder, stream, block.output()); });
}

// Whole windows of codes that nearly all have one length: lanes are led from scan to scan
// (deflate_phases.kc). Now and then a longer code makes all later lanes wrong by another number of
// bits. The end of a block is in every window, or in few of them.
TEST_P(DeflateParts, WindowsInWhichScansNeverMeetComeBack) {
  with_decoders({.stride_bytes = 8 << 10}, [&](StreamDecoder& decoder) {
    for (const unsigned kinds : {254u, 64u, 62u, 14u, 2u})
      for (const unsigned others : {16u, 64u, 300u}) {
        Random random(kinds + others);
        Bytes output(90'000 / std::bit_width(kinds));
        for (std::uint8_t& byte : output)
          byte = static_cast<std::uint8_t>(random() % (random() % others == 0 ? 256 : kinds));
        SCOPED_TRACE(std::to_string(kinds) + " kinds, one in " + std::to_string(others) +
                     " of others");
        for (const int memory : {9, 5})
          expect_output(decoder,
                        batch::deflate_compressed(
                            output, {.level = 6, .strategy = Z_HUFFMAN_ONLY, .memory = memory}),
                        output);
      }
  });
}

TEST_P(DeflateParts, BlocksShorterThanAPartComeBack) {
  const Bytes output = batch::words_text(60'000, 3);
  const Bytes stream = batch::deflate_compressed(output, short_blocks);
  for (const std::uint64_t part_bits : {std::uint64_t{1} << 14, std::uint64_t{1} << 18})
    with_decoders({.stride_bytes = 4096, .part_bits = part_bits},
                  [&](StreamDecoder& decoder) { expect_output(decoder, stream, output, 2); });
}

// As for data that gzip cannot compress: each was a launch of its own.
TEST_P(DeflateParts, StoredBlocksBehindStoredBlocksAreFound) {
  Random random(6);
  Bytes output = batch::words_text(10'000, 7);
  while (output.size() < 80'000) output.push_back(static_cast<std::uint8_t>(random()));
  const Bytes stream =
      batch::deflate_compressed(output, {.level = 6, .strategy = Z_DEFAULT_STRATEGY, .memory = 5});
  with_decoders(short_parts, [&](StreamDecoder& decoder) {
    expect_output(decoder, stream, output, 20);
    EXPECT_LE(decoder.pieces->launches(), 4u);
  });
}

// Headers that are not found: segments are guessed after the beginning of the stream.
TEST_P(DeflateParts, BlocksOfFixedCodesComeBack) {
  for (const int memory : {3, 9}) {
    const Bytes output = batch::words_text(40'000, 4);
    const Bytes stream = batch::deflate_compressed(output, {6, Z_FIXED, memory});
    with_decoders(short_parts, [&](StreamDecoder& decoder) {
      expect_output(decoder, stream, output, memory == 9 ? 30 : 4);
    });
  }
}

TEST(DeflatePartsOnDevices, OutputsOfAllKindsComeBackInManyBatches) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(
                           *open_device(found.traits().id),
                           {.stride_bytes = 1024, .batch_unit_bytes = 400'000, .part_bits = 4096}));
    for (const Bytes& output : batch::outputs_of_all_kinds(300'000))
      for (const int level : {0, 1, 9})
        expect_output(decoder, batch::deflate_compressed(output, {.level = level, .memory = 9}),
                      output);
  });
}

// Offsets in a segment count to 1 GiB. Read from an odd bit, such codes never resynchronise.
TEST(DeflatePartsOnDevices, ABlockOfMoreThanAGibibyteIsMeasured) {
  constexpr unsigned matches = 4'500'000;
  std::vector<unsigned> lengths(286, 0);
  lengths['a'] = lengths[256] = 2, lengths[285] = 1;  // of 258 bytes
  BitWriter writer;
  writer.header(true, 2).codes(lengths, {1}).code(2, 2).number(0, 2 * matches % 64);
  for (unsigned i = 0; i < 2 * matches / 64; i++) writer.number(0, 64);
  Bytes stream = bytes_of_text(writer.code(3, 2).bytes());
  const std::uint64_t bytes = stream.size();
  stream.resize(batch::rounded(bytes, 16));
  on_each_device([&](Device& found) {
    TAKE(auto decoder,
         StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 32 << 10}));
    TAKE(const auto uploaded, on_device(*decoder.device, *decoder.queue, stream));
    ASSERT_OK(decoder.pieces->open(*decoder.queue, uploaded, bytes));
    TAKE(const MeasuredStream measured, decoder.pieces->follow(*decoder.queue, 0));
    EXPECT_EQ(measured.error.error, batch::ErrorCode::none) << batch::message(measured.error.error);
    EXPECT_EQ(measured.output_bytes, 1 + std::uint64_t{258} * matches);
    EXPECT_EQ(measured.end_byte, bytes);
  });
}

// Segments have the length of a warp's, or of a CPU's.
TEST(DeflatePartsOnDevices, ALongOutputComesBackInPartsOfTheirOwnLength) {
  const Bytes output = batch::words_text(6'000'000, 1);
  const Bytes stream = batch::deflate_compressed(output, long_blocks);
  on_each_device([&](Device& found) {
    TAKE(auto decoder,
         StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 32 << 10}));
    expect_output(decoder, stream, output, 10);
  });
}

TEST_P(DeflateParts, DamageInAnyPartGetsTheStatusOfZlib) {
  const Bytes stream = batch::deflate_compressed(batch::words_text(5'000, 2), long_blocks);
  const std::vector<batch::Chunk> changes = batch::single_changes(stream, 0, 255);
  const auto damaged = [&](std::size_t step) {
    std::vector<batch::Chunk> chosen;
    for (std::size_t i = 0; i < changes.size(); i += step) chosen.push_back(changes[i]);
    for (std::size_t i = 0; i < stream.size(); i += step)
      chosen.push_back({Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(i)), 0});
    return chosen;
  };
  constexpr Cut shortest_parts = {.stride_bytes = 64, .part_bits = 512};
  const std::size_t step = GetParam() == Where::devices ? 5 : 151;
  with_decoders(shortest_parts,
                [&](StreamDecoder& decoder) { expect_statuses(decoder, damaged(step)); });
}

}  // namespace
}  // namespace penstock::deflate
