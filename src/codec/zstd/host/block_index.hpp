// The blocks of a frame as a device's kernels read them (kernels/zstd_stream.kc): where each is,
// and which earlier block has the tables and the tree that it repeats. Only headers are read; the
// kernels check the tables.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/zstd/format/frame_header.hpp"

namespace penstock::zstd {

// zstd_stream.kc has the same layout. Bytes [begin, end) of the input; empty for a block without
// one.
struct BlockBounds {
  std::uint32_t begin = 0, end = 0;
};
struct BlockRow {
  BlockBounds content;
  std::uint32_t type = 0;                  // BlockType
  std::uint32_t size = 0;                  // of the output of raw and RLE blocks
  BlockBounds tree = {};                   // of the block with the tree that it repeats
  std::array<BlockBounds, 3> tables = {};  // literal lengths, offsets, match lengths
  std::uint32_t first_sequence = 0, sequence_count = 0;
  std::uint32_t unused[2] = {};
};
static_assert(sizeof(BlockRow) == 64);

class BlockIndex {
 public:
  // The frame begins at byte `begin` of `input`, which has less than 4 GiB and outlives the index.
  BlockIndex(std::span<const Byte> input, std::uint64_t begin, const FrameHeader& header)
      : input_(input),
        at_(begin + header.header_bytes),
        block_limit_bytes_(header.block_limit_bytes()) {}

  // Appends rows of the next blocks, up to `max_blocks`, or fewer at the frame's end.
  // first_sequence counts from the first of them. Errors: Code::truncated, Code::corrupt; the rows
  // of earlier blocks are valid.
  Status next(std::size_t max_blocks, std::vector<BlockRow>& rows);
  bool is_at_end() const { return is_at_end_; }
  std::uint64_t at() const { return at_; }  // behind the blocks so far

 private:
  Status take_block(std::vector<BlockRow>& rows, std::uint32_t& sequences);
  const char* take_parts(BlockRow& row, std::span<const Byte> content, std::uint32_t& sequences);

  std::span<const Byte> input_;
  std::uint64_t at_ = 0, blocks_ = 0;
  std::uint32_t block_limit_bytes_ = 0;
  bool is_at_end_ = false;
  BlockBounds tree_;
  std::array<BlockBounds, 3> tables_;
};

}  // namespace penstock::zstd
