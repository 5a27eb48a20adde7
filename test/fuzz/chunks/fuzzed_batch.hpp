// Batches of few chunks for fuzz programs. They are laid out so that what kernels may read ends
// with the buffers, and given to a decoder or an encoder of the library. Returns each result, and
// requires that no byte outside of a capacity was written.
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

// Makes data of few letters, noise, and copies of earlier bytes, so that encoders find matches of
// all lengths. At most one part more than max_bytes.
Bytes text_of(Input& input, std::size_t max_bytes);

// Chunks that are dependent blocks (batch::BlockDependencies): the word of each, and the output
// before the first stream.
struct LinkedStreams {
  std::vector<std::uint32_t> words;
  Bytes window;
};

struct Taken {
  Bytes bytes;
  batch::ChunkStatus chunk_status;
};
// Bytes between consecutive chunks, and between their capacities, except within one stream.
struct Gaps {
  explicit Gaps(std::uint32_t order, std::uint32_t min_output_gap = 0)
      : input(order % 32), output(min_output_gap + order % 32 * 3 % 32) {}
  std::uint32_t input, output;
};
template <class Codec>
std::vector<Taken> taken(const ChunkDevice& device, const std::vector<Chunk>& chunks, Gaps gaps,
                         std::uint64_t max_output_bytes, const LinkedStreams& linked = {});
extern template std::vector<Taken> taken<batch::Decoder>(const ChunkDevice&,
                                                         const std::vector<Chunk>&, Gaps,
                                                         std::uint64_t, const LinkedStreams&);
extern template std::vector<Taken> taken<batch::Encoder>(const ChunkDevice&,
                                                         const std::vector<Chunk>&, Gaps,
                                                         std::uint64_t, const LinkedStreams&);

}  // namespace penstock::fuzz
