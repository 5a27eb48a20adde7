// Deflate streams decoded in pieces on a device, for tests: as StreamPieces and PieceTexts are
// used.
#pragma once
#include "codec/deflate/device/device_inflate.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::deflate {

using chunks::Bytes;

struct Cut {
  std::uint32_t stride_bytes = 64;
  std::uint64_t batch_unit_bytes = 0, part_bits = 0;
};

// A stream's text, or its fault.
struct Outcome {
  Bytes text;
  StreamFault fault;
  std::uint32_t crc32 = 0;  // of the last batch
  std::uint64_t end_byte = 0;
  std::size_t piece_count = 0, batch_count = 0;
};

class StreamDecoder {
 public:
  static Result<StreamDecoder> build(std::shared_ptr<Device> device, Cut cut) {
    StreamDecoder made;
    PENSTOCK_ASSIGN(made.pieces, StreamPieces::build(device, cut.stride_bytes, cut.part_bits));
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
    outcome.fault = stream.fault, outcome.end_byte = stream.end_byte,
    outcome.piece_count = stream.pieces.size();
    if (stream.fault.fault != chunks::Fault::none) return outcome;
    PENSTOCK_ASSIGN(const std::shared_ptr<Buffer> text, device->allocate(stream.text_bytes + 64));
    for (std::size_t first = 0; first < stream.pieces.size();) {
      PENSTOCK_ASSIGN(const TextBatch batch,
                      texts->decode(*queue, *pieces, stream, first, text, outcome.text.size()));
      outcome.fault = batch.fault, outcome.crc32 = batch.checksum, outcome.batch_count++;
      if (batch.fault.fault != chunks::Fault::none) return outcome;
      first += batch.piece_count;
      outcome.text.resize(outcome.text.size() + batch.text_bytes);
    }
    if (outcome.text.size() != stream.text_bytes)
      return Status(Code::internal, "batches have not the stream's text");
    PENSTOCK_TRY(queue->download(outcome.text.data(), *text, outcome.text.size()));
    PENSTOCK_TRY(queue->finish());
    return outcome;
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<StreamPieces> pieces;
  std::unique_ptr<PieceTexts> texts;
  std::unique_ptr<Queue> queue;
};

inline void expect_text(StreamDecoder& decoder, const Bytes& stream, const Bytes& text,
                        std::size_t least_pieces = 1) {
  const auto outcome = decoder.decode(stream);
  ASSERT_TRUE(outcome.ok()) << outcome.status().text();
  ASSERT_EQ(outcome->fault.fault, chunks::Fault::none)
      << chunks::words_of(outcome->fault.fault) << " at " << outcome->fault.byte;
  ASSERT_EQ(outcome->text.size(), text.size());
  const auto other = std::mismatch(text.begin(), text.end(), outcome->text.begin()).first;
  ASSERT_EQ(other, text.end()) << "byte " << other - text.begin();
  EXPECT_EQ(outcome->end_byte, stream.size());
  EXPECT_GE(outcome->piece_count, least_pieces);
  EXPECT_TRUE(outcome->batch_count > 1 ||
              outcome->crc32 == crc32(0, text.data(), static_cast<uInt>(text.size())));
}

// Every verdict is zlib's, and every text of a sound stream.
inline void expect_verdicts(StreamDecoder& decoder, const std::vector<chunks::Chunk>& streams) {
  for (std::size_t i = 0; i < streams.size(); i++) {
    const auto outcome = decoder.decode(streams[i].bytes);
    ASSERT_TRUE(outcome.ok()) << outcome.status().text();
    const std::optional<Bytes> expected =
        chunks::deflate_text({streams[i].bytes, 1 << 20}, chunks::raw_window);
    ASSERT_EQ(outcome->fault.fault == chunks::Fault::none, expected.has_value())
        << "stream " << i << ": " << chunks::words_of(outcome->fault.fault) << " at "
        << outcome->fault.byte;
    if (expected)
      ASSERT_EQ(outcome->text, *expected) << "stream " << i;
    else
      ASSERT_LE(outcome->fault.byte, streams[i].bytes.size()) << "stream " << i;
  }
}

}  // namespace penstock::deflate
