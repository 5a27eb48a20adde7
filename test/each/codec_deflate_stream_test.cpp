// One Deflate stream decoded by many teams, on every device and by teams on the host executor, against zlib: pieces that begin in strides
// of a few bytes, so that short streams have many, with right and wrong guesses of where blocks begin.
#include <gtest/gtest.h>

#include "chunk_fixture.hpp"
#include "codec/deflate/device_text.hpp"

namespace penstock::deflate {
namespace {

using chunks::Bytes;

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

struct Cut { std::uint32_t stride_bytes = 64; std::uint64_t batch_unit_bytes = 0; };

// A stream's text, or its fault.
struct Outcome {
  Bytes text;
  StreamFault fault;
  std::uint32_t crc32 = 0;      // of the last batch
  std::uint64_t end_byte = 0;
  std::size_t piece_count = 0, batch_count = 0;
};

class StreamDecoder {
 public:
  static Result<StreamDecoder> build(std::shared_ptr<Device> device, Cut cut) {
    StreamDecoder made;
    PENSTOCK_ASSIGN(made.pieces, StreamPieces::build(device, cut.stride_bytes));
    PENSTOCK_ASSIGN(made.texts, PieceTexts::build(device, cut.batch_unit_bytes));
    PENSTOCK_ASSIGN(made.queue, device->queue());
    made.device = std::move(device);
    return made;
  }
  Result<Outcome> decode(Bytes input, std::uint64_t begin = 0) {
    const std::uint64_t bytes = input.size();
    input.resize(chunks::rounded(bytes + 1, 16), 0xee);
    PENSTOCK_ASSIGN(const auto uploaded, on_device(*device, *queue, input));
    PENSTOCK_TRY(pieces->open(*queue, uploaded, bytes));
    return follow(begin);
  }
  Result<Outcome> follow(std::uint64_t begin) {
    Outcome outcome;
    PENSTOCK_ASSIGN(const MeasuredStream stream, pieces->follow(*queue, begin));
    outcome.fault = stream.fault, outcome.end_byte = stream.end_byte, outcome.piece_count = stream.pieces.size();
    if (stream.fault.fault != chunks::Fault::none) return outcome;
    PENSTOCK_ASSIGN(const std::shared_ptr<Buffer> text, device->allocate(stream.text_bytes + 64));
    for (std::size_t first = 0; first < stream.pieces.size();) {
      PENSTOCK_ASSIGN(const TextBatch batch, texts->decode(*queue, *pieces, stream, first, text, outcome.text.size()));
      outcome.fault = batch.fault, outcome.crc32 = batch.checksum, outcome.batch_count++;
      if (batch.fault.fault != chunks::Fault::none) return outcome;
      first += batch.piece_count;
      outcome.text.resize(outcome.text.size() + batch.text_bytes);
    }
    if (outcome.text.size() != stream.text_bytes) return Status(Code::internal, "batches have not the stream's text");
    PENSTOCK_TRY(queue->download(outcome.text.data(), *text, outcome.text.size()));
    PENSTOCK_TRY(queue->finish());
    return outcome;
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<StreamPieces> pieces;
  std::unique_ptr<PieceTexts> texts;
  std::unique_ptr<Queue> queue;
};

// zlib's blocks of 512 symbols: such as have fewer are fixed ones.
constexpr chunks::DeflateOptions short_blocks = {.level = 6, .strategy = Z_DEFAULT_STRATEGY, .memory = 3};

void expect_text(StreamDecoder& decoder, const Bytes& stream, const Bytes& text, std::size_t least_pieces = 1) {
  const auto outcome = decoder.decode(stream);
  ASSERT_TRUE(outcome.ok()) << outcome.status().text();
  ASSERT_EQ(outcome->fault.fault, chunks::Fault::none) << chunks::words_of(outcome->fault.fault) << " at " << outcome->fault.byte;
  ASSERT_EQ(outcome->text.size(), text.size());
  const auto other = std::mismatch(text.begin(), text.end(), outcome->text.begin()).first;
  ASSERT_EQ(other, text.end()) << "byte " << other - text.begin();
  EXPECT_EQ(outcome->end_byte, stream.size());
  EXPECT_GE(outcome->piece_count, least_pieces);
  EXPECT_TRUE(outcome->batch_count > 1 || outcome->crc32 == crc32(0, text.data(), static_cast<uInt>(text.size())));
}

TEST(DeflateStream, TextsOfAllKindsComeBack) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 4096}));
    for (const Bytes& text : chunks::texts_of_all_kinds(300'000))
      for (const int level : {0, 1, 6, 9}) expect_text(decoder, chunks::deflate_compressed(text, {.level = level}), text);
    const Bytes long_text = chunks::words_text(3'000'000, 1);
    expect_text(decoder, chunks::deflate_compressed(long_text), long_text, 10);
  });
}

// Every verdict is zlib's, and every text of a sound stream.
void expect_verdicts(StreamDecoder& decoder, const std::vector<chunks::Chunk>& streams) {
  for (std::size_t i = 0; i < streams.size(); i++) {
    const auto outcome = decoder.decode(streams[i].bytes);
    ASSERT_TRUE(outcome.ok()) << outcome.status().text();
    const std::optional<Bytes> expected = chunks::deflate_text({streams[i].bytes, 1 << 20}, chunks::raw_window);
    ASSERT_EQ(outcome->fault.fault == chunks::Fault::none, expected.has_value())
        << "stream " << i << ": " << chunks::words_of(outcome->fault.fault) << " at " << outcome->fault.byte;
    if (expected) ASSERT_EQ(outcome->text, *expected) << "stream " << i;
    else ASSERT_LE(outcome->fault.byte, streams[i].bytes.size()) << "stream " << i;
  }
}

TEST(DeflateStream, DamageGetsTheVerdictOfZlib) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 64}));
    for (const Bytes& text : {chunks::mixed_text(2000, 7), chunks::words_text(12'000, 1)}) {
      const Bytes stream = chunks::deflate_compressed(text, short_blocks);
      expect_verdicts(decoder, chunks::prefixes(stream, 0));
      expect_verdicts(decoder, chunks::single_changes(stream, 0, 85));
    }
  });
}

TEST(DeflateStream, BlocksOfAllKindsComeBack) {
  on_each_device([](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 64, .batch_unit_bytes = 300'000}));
    const Bytes text = chunks::mixed_text(200'000, 3);
    for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
      for (const int memory : {1, 3, 9}) expect_text(decoder, chunks::deflate_compressed(text, {6, strategy, memory}), text);
  });
}

// A stored block that holds another stream: whose blocks begin in it, guesses that are wrong as a whole.
TEST(DeflateStream, StreamsInStoredBlocksAreNotTaken) {
  const Bytes inner = chunks::deflate_compressed(chunks::words_text(120'000, 5), short_blocks);
  const Bytes outer = chunks::deflate_compressed(inner, {.level = 0});
  on_each_device([&](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 64}));
    expect_text(decoder, outer, inner);
  });
}

// Streams behind one another, found and measured at once.
TEST(DeflateStream, SeveralStreamsOfOneInputAreFollowed) {
  std::vector<Bytes> texts;
  Bytes all(3, 0xff);
  std::vector<std::uint64_t> begins;
  for (std::uint32_t i = 0; i < 5; i++) {
    texts.push_back(chunks::words_text(20'000 * i, i));
    begins.push_back(all.size());
    const Bytes stream = chunks::deflate_compressed(texts.back(), short_blocks);
    all.insert(all.end(), stream.begin(), stream.end());
  }
  on_each_device([&](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 256}));
    ASSERT_OK(decoder.decode(all, begins[0]));
    for (std::size_t i = 0; i < texts.size(); i++) {
      TAKE(const Outcome outcome, decoder.follow(begins[i]));
      EXPECT_EQ(outcome.text, texts[i]);
      EXPECT_EQ(outcome.end_byte, i + 1 < texts.size() ? begins[i + 1] : all.size());
    }
  });
}

TEST(DeflateStream, ADistanceBeforeTheStreamIsAFault) {
  const Bytes text = chunks::words_text(300'000, 1);
  Bytes stream = chunks::deflate_compressed(text, short_blocks);
  on_each_device([&](Device& found) {
    TAKE(auto decoder, StreamDecoder::build(*open_device(found.traits().id), {.stride_bytes = 1024}));
    TAKE(const auto whole, decoder.decode(stream));
    ASSERT_GT(whole.piece_count, 4u);
    TAKE(const MeasuredStream measured, decoder.pieces->follow(*decoder.queue, 0));
    // The same blocks without the first ones, whose text the others repeat.
    const std::uint64_t begin = measured.pieces[3].begin_bit;
    Bytes rest((stream.size() * 8 - begin + 7) / 8 + 1);
    for (std::uint64_t bit = begin; bit < stream.size() * 8; bit++)
      rest[(bit - begin) / 8] |= static_cast<std::uint8_t>((stream[bit / 8] >> bit % 8 & 1) << (bit - begin) % 8);
    TAKE(const auto outcome, decoder.decode(rest));
    EXPECT_EQ(outcome.fault.fault, chunks::Fault::bad_distance);
  });
}

class DeflateStreamOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(DeflateStreamOnHost, SmallTextsComeBack) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  TAKE(auto decoder, StreamDecoder::build(kernel::make_host_device(GetParam()), {.stride_bytes = 256}));
  for (const Bytes& text : {chunks::words_text(150'000, 3), chunks::numbers_text(100'000, 3)})
    expect_text(decoder, chunks::deflate_compressed(text), text);
  for (const Bytes& text : {chunks::words_text(20'000, 1), chunks::mixed_text(40'000, 2), Bytes(70'000, 7), Bytes(), Bytes{1}})
    expect_text(decoder, chunks::deflate_compressed(text, short_blocks), text, text.size() == 20'000 ? 4 : 1);
}
TEST_P(DeflateStreamOnHost, DamageGetsTheVerdictOfZlib) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  TAKE(auto decoder, StreamDecoder::build(kernel::make_host_device(GetParam()), {.stride_bytes = 64}));
  const Bytes stream = chunks::deflate_compressed(chunks::words_text(12'000, 1), short_blocks);
  std::vector<chunks::Chunk> damaged = chunks::single_changes(stream, 0, 255), chosen;
  for (std::size_t i = 0; i < damaged.size(); i += 101)
    chosen.push_back(damaged[i]), chosen.push_back({Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(i)), 0});
  expect_verdicts(decoder, chosen);
}
INSTANTIATE_TEST_SUITE_P(Teams, DeflateStreamOnHost, ::testing::ValuesIn(chunks::teams_on_host()));

}  // namespace
}  // namespace penstock::deflate
