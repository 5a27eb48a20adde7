// Turns source indices into output bytes by pointer jumping: the last phase that streams of several
// codecs share. src/codec/lz/kernels/source_indices.kc describes the method.
//
// A codec's own phases fill an array of source indices, a u32 for each output byte. The resolver
// writes the bytes, range by range in ascending order. As for batch.hpp's decoders, enqueue()
// allocates nothing and waits for nothing.
#pragma once
#include "penstock/device.hpp"

namespace penstock::batch {

// A stream on the device, in the layout that resolve_source_indices.kc reads. `output` and
// `source_indices` are where position 0 is, in bytes of SourceBatch::output and in u32s of
// SourceBatch::source_indices, modulo 2^64. Position p's index is source_indices[
// SourceStream::source_indices + p]. Both are multiples of 4.
struct SourceStream {
  std::uint64_t output = 0, source_indices = 0;
  // The positions to write. The output before `first` is written already.
  std::uint32_t first = 0, end = 0;
};

struct SourceBatch {
  std::uint32_t stream_count = 0;
  std::uint32_t max_positions = 0;          // a bound of end - first
  std::uint32_t max_segments = UINT32_MAX;  // a bound of a stream's segments (source_indices.kc)
  // SourceStream each. The codec's phases may have written them.
  std::shared_ptr<const Buffer> streams;
  // The source indices are overwritten while their output is made.
  std::shared_ptr<const Buffer> source_indices, output;
  std::shared_ptr<const Buffer> wrong;  // a u32 at offset 0: not 0 skips everything
  std::uint32_t first_stream = 0;       // in `streams`
};

class SourceResolver {
 public:
  static Result<SourceResolver> build(std::shared_ptr<Device> device);
  // Returns Code::invalid for buffers that are too small for stream_count. The contents of streams
  // are trusted.
  Status enqueue(Queue& queue, const SourceBatch& batch) const;

 private:
  Status launch(Queue& queue, const SourceBatch& batch, int groups_bits, std::uint32_t skipped,
                std::uint32_t span) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
};

}  // namespace penstock::batch
