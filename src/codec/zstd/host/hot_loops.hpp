// The hot loops of decoding: Huffman-coded literals, FSE-coded sequences, and LZ77 copies. They are
// compiled twice from one source (hot_loops.inc), for any processor and for processors with BMI2
// and SSSE3, and chosen at run time.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "codec/zstd/format/huffman.hpp"
#include "codec/zstd/format/sequence_table.hpp"
#include "codec/zstd/format/zstd_constants.hpp"

namespace penstock::zstd {

// Literals and the match after them. Longer lengths are cut into several sequences of one offset,
// some without a match. Offsets above `first_relative` stand for one of the three repeat offsets
// before the block, which the entropy decoder cannot know: see relative_offset().
struct Sequence {
  std::uint32_t offset = 0;
  std::uint16_t literal_bytes = 0, match_bytes = 0;
};

constexpr std::uint32_t first_relative = 0xC0000000, relative_step = 0x10000000;
// Encodes repeat offset `index` (0 to 2) of the blocks before, less `down`, which is below
// relative_step.
constexpr std::uint32_t relative_offset(std::uint32_t index, std::uint32_t down = 0) {
  return first_relative + relative_step * (index + 1) - down;
}
constexpr bool is_relative(std::uint32_t offset) { return offset > first_relative; }
// Returns the offset itself; 0, which is invalid, where it would be below 1.
constexpr std::uint32_t resolved_offset(std::uint32_t offset,
                                        const std::array<std::uint32_t, 3>& repeat_offsets) {
  if (!is_relative(offset)) return offset;
  if (offset > relative_offset(2)) return 0;
  const std::uint32_t index = (offset - first_relative - 1) / relative_step,
                      down = relative_offset(index) - offset;
  return repeat_offsets[index] > down ? repeat_offsets[index] - down : 0;
}

// One stream, or four, that fill consecutive parts of the output. All are readable 8 bytes before
// their first byte.
struct LiteralStreams {
  std::uint32_t count = 0;
  std::array<std::span<const Byte>, 4> streams;
  std::array<std::span<Byte>, 4> outs;
};

struct SequenceTotals {
  std::uint32_t stored = 0;  // sequences, with the parts of cut ones
  std::uint64_t literal_bytes = 0, match_bytes = 0;
  std::uint32_t offset_bits = 0;  // of all offsets that are not relative: none is larger
  std::array<std::uint32_t, 3> repeat_offsets{};  // offsets at the end, maybe relative
};

// A valid block has few cut sequences.
constexpr std::uint32_t max_cut_sequences = 8;
constexpr std::uint32_t longest_part = 0xFFFF;

// The source of matches: before `begin` come the last `before_bytes` before `before_end`.
struct MatchSource {
  Byte* begin = nullptr;
  const Byte* before_end = nullptr;
  std::uint64_t before_bytes = 0;
};

struct HotLoops {
  // Returns null, or the error.
  const char* (*decode_literals)(const HuffmanTable& table, const LiteralStreams& literals);
  // Decodes into `out`, which has capacity for max_cut_sequences more than `count`. The stream is
  // readable 8 bytes before its first byte. Returns null, or the error.
  const char* (*decode_sequences)(std::span<const Byte> stream, std::uint32_t count,
                                  const SequenceTables& tables, Sequence* out,
                                  SequenceTotals& totals);
  // Writes the output of sequences at `out`, and up to copy_slack_bytes after it; reads literals as
  // far. The caller has checked that their sums fit. With `is_far` matches are prefetched. Returns
  // null, or the first sequence with an offset out of reach.
  const Sequence* (*execute)(std::span<const Sequence> sequences, const Byte* literals, Byte* out,
                             const MatchSource& source,
                             const std::array<std::uint32_t, 3>& repeat_offsets, bool is_far);
};

const HotLoops& hot_loops();  // for this processor
const HotLoops& portable_hot_loops();

}  // namespace penstock::zstd
