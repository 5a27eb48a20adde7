// Batches of few chunks as fuzz programs make them: laid out so that what kernels may read ends
// with the buffers, given to a decoder or an encoder of the library, and what became of each, when
// no byte outside of its room was written.
#pragma once
#include "chunk_references.hpp"
#include "fuzz/chunks/linked_chunks.hpp"
#include "fuzz/input.hpp"

namespace penstock::fuzz {

using batch::Bytes;
using batch::Chunk;

// The program's rows.
inline const ChunkCodec& codec_here() { return *find_row(chunk_codecs, fuzzed_codec); }
inline const ChunkDevice& device_here() { return *find_row(chunk_devices, fuzzed_device); }

// Letters of few kinds, noise, and copies of what stands before, so that encoders find matches of
// all lengths. At most a piece more than max_bytes.
Bytes text_of(Input& input, std::size_t max_bytes);

// Chunks that are blocks of streams (batch::BlockDependencies): the word of each, and the text in
// front of the first stream.
struct LinkedStreams {
  std::vector<std::uint32_t> words;
  Bytes window;
};

struct Taken {
  Bytes bytes;
  batch::ChunkStatus chunk_status;
};
// The chunks one behind another, `gap` bytes between them and between their rooms; no bytes between
// rooms of one stream.
template <class Codec>
std::vector<Taken> taken(const ChunkDevice& device, const std::vector<Chunk>& chunks,
                         std::uint32_t gap, std::uint64_t max_output_bytes,
                         const LinkedStreams& linked = {});
extern template std::vector<Taken> taken<batch::Decoder>(const ChunkDevice&,
                                                         const std::vector<Chunk>&, std::uint32_t,
                                                         std::uint64_t, const LinkedStreams&);
extern template std::vector<Taken> taken<batch::Encoder>(const ChunkDevice&,
                                                         const std::vector<Chunk>&, std::uint32_t,
                                                         std::uint64_t, const LinkedStreams&);

}  // namespace penstock::fuzz
