// The cases of `penstock bench codecs` that compress.
#pragma once
#include "bench/bench_chunks.hpp"
#include "bench/bench_table.hpp"

namespace penstock::cli {

// Whether a device encodes the format.
bool is_encoded(const ChunkLibrary& library, const Traits& traits);
// Cuts a text into chunks and compresses them by every variant that fits, then by the format's
// libraries on all cores. Each chunk of a variant is read by the format's library and compared with
// its text before it is timed. Rates are of text; what is moved: text and chunks.
Status measure_chunk_encoding(const std::shared_ptr<Device>& device, const ChunkLibrary& library,
                              const std::string& work, const Bytes& output,
                              std::uint64_t chunk_bytes, const BenchOptions& options,
                              Figures& figures);

}  // namespace penstock::cli
