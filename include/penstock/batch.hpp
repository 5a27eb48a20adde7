// Batches of compressed chunks, decoded and made where they lie on a device: each chunk by itself,
// all of them at once.
//
// Everything is on the device: the compressed bytes, where each chunk begins and how long it is,
// where its text goes, and afterwards its length and verdict. enqueue() allocates nothing and waits
// for nothing, so a batch takes its place among other work of a queue; the memory that it needs
// beside the text is told by scratch_bytes(). Chunks are not trusted: whatever their bytes are,
// nothing outside the room of their text is written, and a chunk that is not sound says what is
// wrong with it, and where.
//
//     PENSTOCK_ASSIGN(auto decoder, batch::Decoder::build(device, batch::Format::lz4));
//     PENSTOCK_ASSIGN(auto scratch, device->allocate(decoder->scratch_bytes(batch.chunk_count)));
//     PENSTOCK_TRY(decoder->enqueue(*queue, batch, *scratch));
//     PENSTOCK_TRY(queue->download(verdicts.data(), *batch.verdicts,
//         verdicts.size() * sizeof(batch::Verdict)));
//     PENSTOCK_TRY(queue->finish());
//     // "corrupt: LZ4 chunk 7, byte 4711: ..."
//     PENSTOCK_TRY(batch::status_of(batch::Format::lz4, 7, verdicts[7]));
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::batch {

enum class Format : unsigned char {
  lz4,     // blocks without a frame: doc/lz4_Block_format.md of github.com/lz4/lz4; the length of a
           // block's text is not in it
  snappy,  // blocks without a frame: format_description.txt of github.com/google/snappy; the text's
           // length comes first
  deflate,  // streams without a frame: RFC 1951; what stands behind the last block is not looked at
  zlib,     // streams: RFC 1950; what stands behind the checksum is not looked at; distances beyond
            // the window that the header tells are taken, as zlib takes them
  gzip,     // members: RFC 1952; those that follow one another in a chunk are one text, as gzread()
            // has it; what else stands behind a member is not looked at
  zstd,  // frames: RFC 8878; one a chunk, without a dictionary, of less than 512 MiB; another frame
         // behind it is a fault, what else stands there is not looked at
};
std::string_view name_of(Format format);  // "LZ4"

// What kernels find; src/codec/batch/kernels/chunk_batch.kc has the same numbers.
enum class ErrorCode : std::uint32_t {
  none = 0,
  truncated = 1,          // the input ends within something
  too_long = 2,           // more text than there is room for
  bad_distance = 3,       // a match from before the text's beginning, or from nowhere
  bad_end = 4,            // what has to stand at a chunk's end does not
  too_large = 5,          // a chunk of more than max_chunk_bytes
  bad_length = 6,         // text that ends before or after the length that its chunk tells
  output_too_small = 7,   // encoding: a chunk that is longer than its room
  bad_header = 8,         // a header that says what the format does not have; or of more than 1 MiB
  bad_checksum = 9,       // not the checksum of the text, or of the header
  bad_block = 10,         // a block's header that says what the format does not have
  bad_table = 11,         // lengths of codes that make no code
  bad_code = 12,          // a code without a symbol
  needs_dictionary = 13,  // text that begins in a preset dictionary, which zlib streams and
                          // Zstandard frames may name
  another_frame = 14,     // of Zstandard, behind the first, whose text alone would be made
};
// A chunk's input, and its text: kernels count in 32 bits.
constexpr std::uint64_t max_chunk_bytes = 0x7fffff00;

struct ChunkStatus {
  ErrorCode error = ErrorCode::none;
  std::uint32_t offset = 0;  // of the chunk's bytes: where what is wrong begins; of sound gzip
                             // members where the last ended
};
std::string_view message_of(ErrorCode error);  // "a code without a symbol"
// Code::truncated, capacity (too_long, too_large, output_too_small) or corrupt, naming format,
// chunk and byte; ok for Fault::none.
Status status_of(Format format, std::uint64_t chunk, ChunkStatus chunk_status);

// LZ4 blocks whose matches reach into blocks before them, as those of a frame may:
// doc/lz4_Frame_format.md. Blocks of a stream follow one another, and so do their rooms, without
// gaps. Their texts do whatever they become, from the first one's room on; so those of blocks that
// do not fill theirs lie before their rooms. Behind a block that is not sound, others of its stream
// have no verdict that means anything.
struct Links {
  std::shared_ptr<Buffer> streams =
      {};  // u32 each: the number of its stream, counted from 0 on; with is_stored for a block
           // whose bytes are its text. Null: each block is by itself
  std::uint32_t stream_count = 0;
  std::uint64_t max_stream_bytes = 0;  // no stream has more room: below 2^31 - 2^17
  std::uint32_t window_bytes =
      0;  // of text in front of the first stream, 64 KiB at most, which it may reach
  static constexpr std::uint32_t is_stored = 0x80000000;
};

// Chunks and their text in a device's memory. What kernels read of `input` goes up to the next
// multiple of 16 behind a chunk, and so far has `output` to reach behind the room of a text;
// between them no bytes that belong to another chunk are written. Offsets need no alignment; where
// texts begin at multiples of 16, kernels have less to do. Chunks may share input; the rooms of
// texts must not overlap.
struct Batch {
  std::uint32_t chunk_count = 0;
  std::shared_ptr<Buffer> input;
  std::shared_ptr<Buffer> input_offsets, input_sizes;  // u64 each
  std::shared_ptr<Buffer> output;
  std::shared_ptr<Buffer> output_offsets, output_capacities;  // u64 each
  std::shared_ptr<Buffer> output_sizes;  // u64 each, written: 0 for a chunk that is not sound
  std::shared_ptr<Buffer> statuses;      // a Verdict each, written
  // No room is taken for larger than this. Decoders whose scratch memory grows with a chunk's text
  // ask for it, others do not look.
  std::uint64_t max_output_bytes = 0;
  Links links = {};
};

// What a decoder is chosen by, beside format and device: Batch::max_output_bytes of its batches,
// where that is known, and whether they have links, which few can.
struct Needs {
  std::uint64_t max_output_bytes = 0;
  bool is_linked = false;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // `variant`: one of variants(); the first that fits where it is empty. Code::invalid for one that
  // does not fit; what Device::build says.
  static Result<std::unique_ptr<Decoder>> build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant = {}, Needs needs = {});
  // That fit a device, first the one that is taken.
  static std::vector<std::string> variants(Format format, const Traits& traits, Needs needs = {});
  // For a batch of so many chunks and Batch::max_output_bytes.
  virtual std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                                      std::uint64_t max_output_bytes = 0) const = 0;
  // Code::invalid for memory that is too small for chunk_count. The contents of offsets, sizes and
  // capacities are the caller's word: those that lie outside `input` and `output` are not found.
  virtual Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) = 0;
  virtual std::string_view variant() const = 0;
};

// Makes chunks of texts: a Batch's `input` is the texts then and its `output` the chunks, each in a
// room of its own, outside of which nothing is written; a Verdict's offset is of the text's bytes.
// Chunks depend on their texts alone, not on device, variant or neighbours. LZ4: blocks that end as
// doc/lz4_Block_format.md wants it, so that liblz4 reads them. Deflate: streams of blocks with
// codes of their own, the fixed ones or none, whichever is shortest, with what zlib's level 1 makes
// as the mark.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // As Decoder::build. Code::unsupported for a format that no device encodes.
  static Result<std::unique_ptr<Encoder>> build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant = {});
  static std::vector<std::string> variants(Format format, const Traits& traits);
  static bool makes(Format format);  // whether any device encodes it
  // What a text of so many bytes becomes at most: room that no chunk is too long for. Of formats
  // that makes() has.
  static std::uint64_t bound_bytes(Format format, std::uint64_t output_bytes);
  virtual std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                                      std::uint64_t max_output_bytes = 0) const = 0;
  virtual Status enqueue(Queue& queue, const Batch& batch,
                         const Buffer& scratch) = 0;  // as Decoder::enqueue
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::batch
