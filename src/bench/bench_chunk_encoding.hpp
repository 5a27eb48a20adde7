// The cases of `penstock bench codecs` that compress.
#pragma once
#include "bench/bench_chunks.hpp"
#include "bench/bench_table.hpp"

namespace penstock::bench {

// Returns whether a device encodes the format.
bool is_encoded(const ChunkLibrary& library, const Traits& traits);
// Compresses data in chunks by every variant that fits, then by the format's libraries on all
// cores. Each variant's chunks are decompressed by the format's library and compared before it is
// timed. Rates are of decompressed bytes; bytes moved are decompressed and compressed ones.
Status measure_chunk_encoding(const std::shared_ptr<Device>& device, const ChunkLibrary& library,
                              const std::string& work, const Bytes& output,
                              std::uint64_t chunk_bytes, const BenchOptions& options,
                              Figures& figures);

}  // namespace penstock::bench
