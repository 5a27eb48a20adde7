// What compress() runs: stages of a pipeline, one table of them.
#pragma once
#include <memory>

#include "stream/input.hpp"
#include "stream/pipeline.hpp"

namespace penstock::stream {

struct Compressor {
  Format format;
  std::uint32_t default_level, most_level;
  // Options have a level and block_bytes that the format has.
  std::unique_ptr<Stages> (*make)(Input& input, const CompressOptions& options);
};
const Compressor* compressor_of(Format format);      // null: the format is not written

std::unique_ptr<Stages> make_gzip_compressor(Input& input, const CompressOptions& options);
std::unique_ptr<Stages> make_zstd_compressor(Input& input, const CompressOptions& options);
std::unique_ptr<Stages> make_lz4_compressor(Input& input, const CompressOptions& options);

// The next block of the input as the piece's; false where the input ended. An empty input is one empty block where `begins`.
Result<bool> take_input_block(Input& input, std::uint64_t block_bytes, bool begins, Piece& piece);

}  // namespace penstock::stream
