// Text of origins: the last phase that streams of several codecs share
// (src/codec/lz/kernels/origins.kc has the idea).
//
// The codec's own phases fill an array of origins, a u32 for each byte; this makes bytes of them,
// range by range in ascending order. As batch.hpp's decoders, enqueue() allocates nothing and
// waits for nothing.
#pragma once
#include "penstock/device.hpp"

namespace penstock::batch {

// A stream on the device: what output_of_origins.kc says. `text` and `origins` are of position 0,
// in bytes of OriginBatch::text and in u32s of OriginBatch::origins, modulo 2^64; position p's
// origin is origins[OriginStream::origins + p]. Both are multiples of 4.
struct OriginStream {
  std::uint64_t output = 0, origins = 0;
  std::uint32_t first = 0,
                end = 0;  // positions that are made; bytes of text before the first are there
};

struct OriginBatch {
  std::uint32_t stream_count = 0;
  std::uint32_t max_positions = 0;          // no stream has more of them, from `first` to `end`
  std::uint32_t max_segments = UINT32_MAX;  // of origins.kc, where no stream has more
  std::shared_ptr<const Buffer>
      streams;  // OriginStream each, which the codec's phases may have written
  std::shared_ptr<const Buffer> origins,
      output;                           // origins are not what they were once their text is made
  std::shared_ptr<const Buffer> wrong;  // a u32 at its beginning: where it is not 0 nothing is made
  std::uint32_t first_stream = 0;       // of those in `streams`
};

class OriginOutput {
 public:
  static Result<OriginOutput> build(std::shared_ptr<Device> device);
  // Code::invalid for memory that is too small for stream_count. Streams' contents are the caller's
  // word.
  Status enqueue(Queue& queue, const OriginBatch& batch) const;

 private:
  Status launch(Queue& queue, const OriginBatch& batch, int groups_bits, std::uint32_t skipped,
                std::uint32_t span) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
};

}  // namespace penstock::batch
