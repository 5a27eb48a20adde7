// Checksums of runs of bytes in device memory, all runs at once: of the outputs of chunks, of the
// blocks of a file, or of the parts of a longer buffer. As for batch.hpp's decoders, enqueue()
// allocates nothing and waits for nothing. A decoder's output_offsets and output_sizes may be the
// runs.
//
// CRC-32 and Adler-32 of consecutive runs can be combined (crc32_joined() and adler32_joined() of
// src/codec/checksum/), so a long buffer may be many runs. XXH32 and XXH64 are serial chains: each
// step waits for the one before. A run takes time in proportion to its length, and only other runs
// keep the device busy meanwhile.
#pragma once
#include "penstock/device.hpp"

namespace penstock::batch {

// As src/codec/checksum/ defines them; XXH with seed 0.
enum class Checksum : unsigned char { crc32, adler32, xxh32, xxh64 };

struct RunBatch {
  std::uint32_t run_count = 0;
  std::shared_ptr<Buffer> bytes;  // read in whole blocks of 16 that overlap a run
  // u64[run_count] each. Runs of CRC-32 and Adler-32 have at most max_chunk_bytes.
  std::shared_ptr<Buffer> offsets, sizes;
  std::shared_ptr<Buffer> checksums;  // u64[run_count], written; 32-bit ones in the lower half
};

class RunChecksums {
 public:
  static Result<RunChecksums> build(std::shared_ptr<Device> device, Checksum checksum);
  // Returns Code::invalid for buffers that are too small for run_count. The contents of offsets and
  // sizes are trusted.
  Status enqueue(Queue& queue, const RunBatch& batch);

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::uint32_t runs_per_group_ = 1;
};

}  // namespace penstock::batch
