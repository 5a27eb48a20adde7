// Chunks of a text, made by the formats' own libraries on the host: what `penstock bench codecs`
// decodes, and what decodes it beside.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "penstock/batch.hpp"

namespace penstock::cli {

using Bytes = std::vector<char>;

// What compresses chunks on the host, beside devices. Returns the chunk's bytes; 0 where it failed.
struct HostEncoder {
  const char* name;  // with its level
  std::uint64_t (*compress)(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity);
};
// What decompresses them; false where it fails.
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
  // What a decoder takes one after the other, in a chunk that the library made: a sequence of
  // literals and a match. Null where that is not counted.
  std::uint64_t (*count_sequences)(const char* chunk, std::uint64_t bytes);
  // Of what a GPU copies, what its decoders move in published studies of them
  // (docs/performance.md); 0: not known.
  double share_of_studies = 0;
  std::span<const HostDecoder> decoders = {};  // other libraries
  std::span<const HostEncoder> encoders = {};
};
std::span<const ChunkLibrary> chunk_libraries();

// A text cut into chunks, and these compressed.
struct BenchChunks {
  Bytes output, input;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, output_sizes;
  std::uint64_t sequence_count = 0;
  std::uint64_t count() const { return input_sizes.size(); }
};

// By all cores. Code::internal where the library fails.
Result<BenchChunks> compressed(const ChunkLibrary& library, Bytes output,
                               std::uint64_t chunk_bytes);
// A file for peers: u64 count, little-endian; for each chunk u64 its bytes and u64 the bytes of its
// text; all chunks; the text.
Status write_chunks(const BenchChunks& chunks, const std::string& path);

}  // namespace penstock::cli
