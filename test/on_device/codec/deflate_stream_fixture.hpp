// Decodes Deflate streams in segments on a device, for tests, as SegmentFinder and SegmentDecoder
// are used.
#pragma once
#include "codec/deflate/device/device_inflate.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::deflate {

using batch::Bytes;

// zlib's blocks of 512 symbols; shorter ones have fixed codes.
inline constexpr batch::DeflateOptions short_blocks = {
    .level = 6, .strategy = Z_DEFAULT_STRATEGY, .memory = 3};

struct Cut {
  std::uint32_t stride_bytes = 64;
  std::uint64_t batch_unit_bytes = 0, part_bits = 0;
};

// The output of a stream, or its error.
struct Outcome {
  Bytes output;
  StreamError error;
  std::uint32_t crc32 = 0;  // of the last batch
  std::uint64_t end_byte = 0;
  std::size_t piece_count = 0, batch_count = 0;
};

class StreamDecoder {
 public:
  static Result<StreamDecoder> build(std::shared_ptr<Device> device, Cut cut) {
    StreamDecoder made;
    PENSTOCK_ASSIGN(made.pieces, SegmentFinder::build(device, cut.stride_bytes, cut.part_bits));
    PENSTOCK_ASSIGN(made.outputs, SegmentDecoder::build(device, cut.batch_unit_bytes));
    PENSTOCK_ASSIGN(made.queue, device->queue());
    made.device = std::move(device);
    return made;
  }
  Result<Outcome> decode(Bytes input, std::uint64_t begin = 0) {
    const std::uint64_t bytes = input.size();
    input.resize(batch::rounded(bytes + 1, 16), 0xee);
    PENSTOCK_ASSIGN(const auto uploaded, on_device(*device, *queue, input));
    PENSTOCK_TRY(pieces->open(*queue, uploaded, bytes));
    return follow(begin);
  }
  Result<Outcome> follow(std::uint64_t begin) {
    Outcome outcome;
    PENSTOCK_ASSIGN(const MeasuredStream stream, pieces->follow(*queue, begin));
    outcome.error = stream.error, outcome.end_byte = stream.end_byte,
    outcome.piece_count = stream.segments.size();
    if (stream.error.error != batch::ErrorCode::none) return outcome;
    PENSTOCK_ASSIGN(const std::shared_ptr<Buffer> output,
                    device->allocate(stream.output_bytes + 64));
    for (std::size_t first = 0; first < stream.segments.size();) {
      PENSTOCK_ASSIGN(const OutputBatch batch, outputs->decode(*queue, *pieces, stream, first,
                                                               output, outcome.output.size()));
      outcome.error = batch.error, outcome.crc32 = batch.checksum, outcome.batch_count++;
      if (batch.error.error != batch::ErrorCode::none) return outcome;
      first += batch.segment_count;
      outcome.output.resize(outcome.output.size() + batch.output_bytes);
    }
    if (outcome.output.size() != stream.output_bytes)
      return Status(Code::internal, "batches have not the stream's text");
    PENSTOCK_TRY(queue->download(outcome.output.data(), *output, outcome.output.size()));
    PENSTOCK_TRY(queue->finish());
    return outcome;
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<SegmentFinder> pieces;
  std::unique_ptr<SegmentDecoder> outputs;
  std::unique_ptr<Queue> queue;
};

inline void expect_output(StreamDecoder& decoder, const Bytes& stream, const Bytes& output,
                          std::size_t min_pieces = 1) {
  const auto outcome = decoder.decode(stream);
  ASSERT_TRUE(outcome.ok()) << outcome.status().text();
  ASSERT_EQ(outcome->error.error, batch::ErrorCode::none)
      << batch::message(outcome->error.error) << " at " << outcome->error.byte;
  ASSERT_EQ(outcome->output.size(), output.size());
  const auto other = std::mismatch(output.begin(), output.end(), outcome->output.begin()).first;
  ASSERT_EQ(other, output.end()) << "byte " << other - output.begin();
  EXPECT_EQ(outcome->end_byte, stream.size());
  EXPECT_GE(outcome->piece_count, min_pieces);
  EXPECT_TRUE(outcome->batch_count > 1 ||
              outcome->crc32 == crc32(0, output.data(), static_cast<uInt>(output.size())));
}

// Every status must be zlib's, and so must every output of a valid stream.
inline void expect_statuses(StreamDecoder& decoder, const std::vector<batch::Chunk>& streams) {
  for (std::size_t i = 0; i < streams.size(); i++) {
    const auto outcome = decoder.decode(streams[i].bytes);
    ASSERT_TRUE(outcome.ok()) << outcome.status().text();
    const std::optional<Bytes> expected =
        batch::deflate_output({streams[i].bytes, 1 << 20}, batch::raw_window);
    ASSERT_EQ(outcome->error.error == batch::ErrorCode::none, expected.has_value())
        << "stream " << i << ": " << batch::message(outcome->error.error) << " at "
        << outcome->error.byte;
    if (expected)
      ASSERT_EQ(outcome->output, *expected) << "stream " << i;
    else
      ASSERT_LE(outcome->error.byte, streams[i].bytes.size()) << "stream " << i;
  }
}

}  // namespace penstock::deflate
