// One block as the scan of a frame finds it: its parts and the tables that they need. A plan has
// all that is needed to decode the block's entropy codes, so any thread can decode blocks in any
// order.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/huffman.hpp"
#include "codec/zstd/format/sequence_table.hpp"
#include "codec/zstd/format/zstd_constants.hpp"

namespace penstock::zstd {

// The description of a table. `serial` numbers the tables of a frame from predefined_serial on, so
// that a thread that has built one recognises it. The predefined tables of all frames are the same.
constexpr std::uint64_t predefined_serial = 1;
struct NumberedTree {
  HuffmanWeights tree;
  std::uint64_t serial = 0;
};
struct NumberedSource {
  TableSource source;
  std::uint64_t serial = 0;
};

struct LiteralsPlan {
  LiteralsType type = LiteralsType::raw;
  std::uint32_t bytes = 0;  // decoded
  std::uint32_t stream_count = 1;
  std::span<const Byte> content;  // raw: the bytes; rle: one byte; else jump table and streams
};

struct SequencesPlan {
  std::uint32_t count = 0;
  std::span<const Byte> stream;
};

struct BlockPlan {
  BlockType type = BlockType::raw;
  bool is_last = false;
  std::uint64_t number = 0;      // in its frame
  std::uint64_t first_byte = 0;  // of its header, in the input
  std::uint32_t run_bytes = 0;   // rle
  std::span<const Byte> content;
  const Byte* readable_end = nullptr;  // of the memory after the content
  std::shared_ptr<const void> owner;   // of that memory; may be null
  LiteralsPlan literals;               // from here on: compressed
  SequencesPlan sequences;
  NumberedTree tree;
  std::array<NumberedSource, 3> sources;  // by CodeKind
};

}  // namespace penstock::zstd
