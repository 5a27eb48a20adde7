// Checksums of runs of bytes that lie in a device's memory, all runs at once: of chunks' texts, of
// blocks of files, of pieces of what is longer. As batch.hpp's decoders, enqueue() allocates
// nothing and waits for nothing; a decoder's output_offsets and output_sizes may be the runs.
//
// CRC-32 and Adler-32 are sums, so that pieces of a long text are runs, and crc32_joined() and
// adler32_joined() (src/codec/checksum/) make one of them. XXH32 and XXH64 are chains, each link of
// which waits for the one before: a run takes as long as it is, and only others beside it keep a
// device busy.
#pragma once
#include "penstock/device.hpp"

namespace penstock::batch {

enum class Checksum : unsigned char {
  crc32,
  adler32,
  xxh32,
  xxh64
};  // as src/codec/checksum/ has them; XXH with seed 0

struct RunBatch {
  std::uint32_t run_count = 0;
  std::shared_ptr<Buffer> bytes;  // whole 16s of it are read that a run has a part of
  std::shared_ptr<Buffer> offsets,
      sizes;  // u64 each; runs of CRC-32 and Adler-32 have max_chunk_bytes at most
  std::shared_ptr<Buffer> checksums;  // u64 each, written; those of 32 bits in the lower half
};

class RunChecksums {
 public:
  static Result<RunChecksums> build(std::shared_ptr<Device> device, Checksum checksum);
  // Code::invalid for memory that is too small for run_count. Offsets and sizes are the caller's
  // word.
  Status enqueue(Queue& queue, const RunBatch& batch);

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::uint32_t runs_per_group_ = 1;
};

}  // namespace penstock::batch
