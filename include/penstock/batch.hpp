// Batches of compressed chunks, decoded or encoded in the memory of a device. Every chunk is
// independent of the others, and all of them are processed at once.
//
// All arrays of a batch are device memory: the compressed bytes, the offset and size of each chunk,
// the output, and the output size and status of each chunk. enqueue() allocates nothing and waits
// for nothing, so a batch runs in order with other work of a queue. scratch_bytes() returns how
// much memory a batch needs beside its output.
//
// Chunks may be hostile. Whatever their bytes are, kernels write nothing outside the capacity of a
// chunk's output. A corrupt chunk gets an error code and the offset of the byte where it was found.
//
//     PENSTOCK_ASSIGN(auto decoder, batch::Decoder::build(device, batch::Format::lz4));
//     PENSTOCK_ASSIGN(auto scratch, device->allocate(decoder->scratch_bytes(batch.chunk_count)));
//     PENSTOCK_TRY(decoder->enqueue(*queue, batch, *scratch));
//     PENSTOCK_TRY(queue->download(statuses.data(), *batch.statuses,
//         statuses.size() * sizeof(batch::ChunkStatus)));
//     PENSTOCK_TRY(queue->finish());
//     // "corrupt: LZ4 chunk 7, byte 4711: ..."
//     PENSTOCK_TRY(batch::status_of(batch::Format::lz4, 7, statuses[7]));
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/batch_errors.h"
#include "penstock/device.hpp"

namespace penstock::batch {

enum class Format : unsigned char {
  // Raw blocks: doc/lz4_Block_format.md of github.com/lz4/lz4. A block does not store the size of
  // its output.
  lz4,
  // Raw blocks: format_description.txt of github.com/google/snappy. A block begins with the size of
  // its output.
  snappy,
  // Raw streams: RFC 1951. Bytes after the last block are ignored.
  deflate,
  // Streams: RFC 1950. Bytes after the checksum are ignored. Distances beyond the window size of
  // the header are accepted, as zlib accepts them.
  zlib,
  // Members: RFC 1952. Consecutive members of a chunk make one output, as gzread() reads them.
  // Other bytes after a member are ignored.
  gzip,
  // Frames: RFC 8878, one per chunk, without a dictionary, with less than 512 MiB of output. A
  // second frame is an error. Other bytes after the frame are ignored.
  zstd,
};
std::string_view name_of(Format format);  // "LZ4"

// Errors that kernels report: truncated_input, output_too_small... batch_errors.h lists them with
// their numbers and messages.
enum class ErrorCode : std::uint32_t {
  none = PENSTOCK_CHUNK_OK,
#define PENSTOCK_ERROR_(name, number, code, message) name = number,
  PENSTOCK_CHUNK_ERRORS(PENSTOCK_ERROR_)
#undef PENSTOCK_ERROR_
};

// The largest input and the largest output of a chunk in bytes. Kernels count in 32 bits.
constexpr std::uint64_t max_chunk_bytes = 0x7fffff00;

// The result of one chunk, as kernels write it.
struct ChunkStatus {
  ErrorCode error = ErrorCode::none;
  // The byte of the chunk's input where the error was found. Valid gzip chunks: the byte after the
  // last member.
  std::uint32_t offset = 0;
};
// Returns a short description of an error.
std::string_view message(ErrorCode error);
// Returns ok for ErrorCode::none, else a status that names format, chunk and byte. Its code is
// Code::truncated, Code::capacity (output_too_small, input_too_large, encoded_too_large),
// Code::unsupported (needs_dictionary, additional_frame) or Code::corrupt.
Status status_of(Format format, std::uint64_t chunk, ChunkStatus chunk_status);

// LZ4 blocks with matches that reach into earlier blocks of a frame ("block dependency" in
// doc/lz4_Frame_format.md). The blocks of a stream are consecutive chunks, and so are their output
// capacities, without gaps. The outputs are written without gaps too, from the first block's offset
// on. If a block does not fill its capacity, the outputs of later blocks begin before their
// offsets. After a corrupt block, the statuses of later blocks of its stream mean nothing.
struct BlockDependencies {
  // u32[chunk_count]: the number of each block's stream, counted from 0, with is_stored added for a
  // block that is stored uncompressed. Null: the blocks are independent.
  std::shared_ptr<Buffer> streams = {};
  std::uint32_t stream_count = 0;
  // No stream has a larger output capacity. Must be below 2^31 - 2^17.
  std::uint64_t max_stream_bytes = 0;
  // Bytes of output before the first stream that its matches may reach, at most 64 KiB.
  std::uint32_t window_bytes = 0;
  static constexpr std::uint32_t is_stored = 0x80000000;
};

// Chunks and their outputs in device memory. Kernels read `input` up to the next multiple of 16
// after a chunk. `output` must reach as far after each capacity. Bytes there that belong to another
// chunk are not written. Offsets need no alignment, but outputs at multiples of 16 are faster.
// Chunks may share input bytes. The ranges of outputs must not overlap.
struct Batch {
  std::uint32_t chunk_count = 0;
  std::shared_ptr<Buffer> input;
  std::shared_ptr<Buffer> input_offsets, input_sizes;  // u64[chunk_count], bytes
  std::shared_ptr<Buffer> output;
  std::shared_ptr<Buffer> output_offsets, output_capacities;  // u64[chunk_count], bytes
  std::shared_ptr<Buffer> output_sizes;  // u64[chunk_count], written; 0 for a corrupt chunk
  std::shared_ptr<Buffer> statuses;      // ChunkStatus[chunk_count], written
  // A bound of the output capacities; larger ones are cut to it. Decoders require it if their
  // scratch memory grows with the output. The others ignore it.
  std::uint64_t max_output_bytes = 0;
  BlockDependencies dependencies = {};
};

// The features that a decoder must support. build() chooses a variant by them.
struct Requirements {
  // Batch::max_output_bytes of the batches, if it is known.
  std::uint64_t max_output_bytes = 0;
  // Whether batches have Batch::dependencies. Few variants support them.
  bool has_dependent_blocks = false;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Builds a decoder. `variant` is one of variants(); empty: the first that fits. Returns
  // Code::invalid for a variant that does not fit, or an error of Device::build.
  static Result<std::unique_ptr<Decoder>> build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant = {},
                                                Requirements requirements = {});
  // Returns the variants that fit a device. build() takes the first.
  static std::vector<std::string> variants(Format format, const Traits& traits,
                                           Requirements requirements = {});
  // Returns the scratch memory in bytes for a batch of `chunk_count` chunks.
  virtual std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                                      std::uint64_t max_output_bytes = 0) const = 0;
  // Enqueues the decoding of a batch. Returns Code::invalid for buffers that are too small for
  // chunk_count. The contents of offsets, sizes and capacities are trusted: ranges outside of
  // `input` and `output` are not detected.
  virtual Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) = 0;
  virtual std::string_view variant() const = 0;
};

// Compresses chunks. A Batch's `input` has the plain bytes and its `output` receives the compressed
// chunks. Nothing is written outside of a chunk's capacity. ChunkStatus::offset counts plain bytes.
// A chunk's bytes depend on its input alone, not on device, variant or other chunks.
//
// LZ4: blocks that end as doc/lz4_Block_format.md requires, so that liblz4 reads them. Deflate:
// blocks that are stored, or have fixed or dynamic codes, whichever is shortest; about the ratio of
// zlib's level 1.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // Builds an encoder, as Decoder::build does. Returns Code::unsupported for a format that cannot
  // be encoded on devices.
  static Result<std::unique_ptr<Encoder>> build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant = {});
  static std::vector<std::string> variants(Format format, const Traits& traits);
  // Returns whether some device encodes the format.
  static bool supports(Format format);
  // Returns the largest compressed size of `input_bytes` bytes. A chunk with this capacity never
  // fails with encoded_too_large. Defined for formats that supports() accepts.
  static std::uint64_t bound_bytes(Format format, std::uint64_t input_bytes);
  virtual std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                                      std::uint64_t max_input_bytes = 0) const = 0;
  // Enqueues the encoding of a batch, as Decoder::enqueue does.
  virtual Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) = 0;
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::batch
