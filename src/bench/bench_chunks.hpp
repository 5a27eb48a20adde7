// Chunks compressed by the formats' own libraries on the host, which `penstock bench codecs`
// decodes and times those libraries with.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "penstock/batch.hpp"

namespace penstock::bench {

using Bytes = std::vector<char>;

// Compresses a chunk on the host. Returns the compressed size; 0 where it failed.
struct HostEncoder {
  const char* name;  // with its level
  std::uint64_t (*compress)(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity);
};
// Decompresses a chunk on the host; returns false where it fails.
struct HostDecoder {
  const char* name;
  bool (*decompress)(const char* chunk, std::uint64_t bytes, char* output,
                     std::uint64_t output_bytes);
};

// A format's library on the host.
struct ChunkLibrary {
  const char* name;  // of the format
  const char* library;
  batch::Format format;
  std::uint64_t (*bound)(std::uint64_t bytes);
  std::uint64_t (*compress)(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity);  // 0 where it failed
  bool (*decompress)(const char* chunk, std::uint64_t bytes, char* output,
                     std::uint64_t output_bytes);
  // Counts the sequences (literals and a match) of a chunk that the library made. Null where they
  // are not counted.
  std::uint64_t (*count_sequences)(const char* chunk, std::uint64_t bytes);
  // The share of copy bandwidth that decoders of published studies reach on GPUs
  // (docs/lab/chunk-encoding.md); 0: not known.
  double share_of_studies = 0;
  std::span<const HostDecoder> decoders = {};  // other libraries
  std::span<const HostEncoder> encoders = {};
};
std::span<const ChunkLibrary> chunk_libraries();

// Data in chunks, decompressed and compressed.
struct BenchChunks {
  Bytes output, input;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, output_sizes;
  std::uint64_t sequence_count = 0;
  std::uint64_t count() const { return input_sizes.size(); }
};

// Compresses chunks on all cores. Code::internal where the library fails.
Result<BenchChunks> compressed(const ChunkLibrary& library, Bytes output,
                               std::uint64_t chunk_bytes);
// Writes a file for baselines: u64 count, little-endian; for each chunk u64 compressed and u64
// decompressed bytes; all compressed chunks; all decompressed data.
Status write_chunks(const BenchChunks& chunks, const std::string& path);

}  // namespace penstock::bench
