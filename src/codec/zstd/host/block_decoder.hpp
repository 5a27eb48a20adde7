// Decodes the entropy codes of one block (Huffman and FSE, RFC 8878), independently of all others:
// literals to bytes, sequences to lengths and offsets.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "codec/zstd/format/block_plan.hpp"
#include "codec/zstd/host/hot_loops.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

// A compressed block after entropy decoding. Its memory is reused for other blocks.
struct DecodedBlock {
  const Byte* literals = nullptr;  // readable copy_slack_bytes behind their end
  std::uint64_t literal_bytes = 0;
  std::span<const Sequence> sequences;
  SequenceTotals totals;
  std::uint64_t bytes() const { return literal_bytes + totals.match_bytes; }

  LargeArray<Byte> literal_memory;
  LargeArray<Sequence> sequence_memory;
};

// The decoder of one thread, with the tables that it built last.
class BlockDecoder {
 public:
  explicit BlockDecoder(const HotLoops& loops) : loops_(loops) {}
  // Forgets the tables of the last frame. Not needed before the first.
  void begin_frame();
  // Errors: Code::corrupt with the block.
  Status decode(const BlockPlan& plan, std::uint32_t block_limit_bytes, DecodedBlock& block);

 private:
  const char* decode_literals(const BlockPlan& plan, DecodedBlock& block);
  const char* decode_streams(const BlockPlan& plan, Byte* out);
  const char* decode_sequences(const BlockPlan& plan, DecodedBlock& block);
  void take_tree(const NumberedTree& tree, std::uint32_t literal_bytes);
  void take_table(CodeKind kind, const NumberedSource& source);

  const HotLoops& loops_;
  HuffmanTable huffman_;
  std::uint64_t huffman_serial_ = 0;
  SequenceTables tables_;
  std::array<std::uint64_t, 3> table_serials_{};
};

}  // namespace penstock::zstd
