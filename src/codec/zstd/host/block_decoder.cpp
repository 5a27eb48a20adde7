#include "codec/zstd/host/block_decoder.hpp"

#include <algorithm>
#include <string>

#include "codec/zstd/format/block_parts.hpp"
#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

// Making a table of pairs takes about as long as it saves on this many literals.
constexpr std::uint32_t min_literals_for_pairs = 6000;

// Finds the four streams after a jump table, or the one stream. Returns false if the jump table
// exceeds the content.
bool find_streams(const LiteralsPlan& plan, Byte* out, LiteralStreams& found) {
  found.count = plan.stream_count;
  if (found.count == 1) {
    found.streams[0] = plan.content;
    found.outs[0] = {out, plan.bytes};
    return true;
  }
  std::span<const Byte> rest = plan.content.subspan(jump_table_bytes);
  std::span<Byte> left{out, plan.bytes};
  const std::size_t quarter = (plan.bytes + 3) / 4;
  for (std::size_t of = 0; of < 4; of++) {
    const std::size_t bytes = of == 3 ? rest.size() : load_le(plan.content.data() + 2 * of, 2);
    const std::size_t out_bytes = of == 3 ? left.size() : quarter;
    if (bytes > rest.size() || out_bytes > left.size()) return false;
    found.streams[of] = rest.first(bytes);
    found.outs[of] = left.first(out_bytes);
    rest = rest.subspan(bytes);
    left = left.subspan(out_bytes);
  }
  return true;
}

}  // namespace

void BlockDecoder::begin_frame() {
  huffman_serial_ = 0;
  for (std::uint64_t& serial : table_serials_)
    if (serial != predefined_serial) serial = 0;
}

Status BlockDecoder::decode(const BlockPlan& plan, std::uint32_t block_limit_bytes,
                            DecodedBlock& block) {
  const char* error = decode_literals(plan, block);
  if (error == nullptr) error = decode_sequences(plan, block);
  if (error == nullptr && block.totals.literal_bytes > block.literal_bytes)
    error = "its sequences take more literals than it has";
  if (error == nullptr && block.bytes() > block_limit_bytes)
    error = "its sequences give more than a block of its frame has bytes";
  if (error == nullptr && is_relative(block.totals.offset_bits))
    error = "an offset reaches before all windows";
  if (error == nullptr) return {};
  return {Code::corrupt, "Zstandard frame: block " + std::to_string(plan.number) + " at byte " +
                             std::to_string(plan.first_byte) + ": " + error};
}

const char* BlockDecoder::decode_literals(const BlockPlan& plan, DecodedBlock& block) {
  const LiteralsPlan& literals = plan.literals;
  block.literal_bytes = literals.bytes;
  const Byte* const content = literals.content.data();
  if (literals.type == LiteralsType::raw &&
      static_cast<std::size_t>(plan.readable_end - content) >= literals.bytes + copy_slack_bytes) {
    block.literals = content;  // as they lie in the input
    return nullptr;
  }
  if (block.literal_memory.size() < literals.bytes + copy_slack_bytes)
    block.literal_memory.reserve(largest_block_bytes + copy_slack_bytes);
  Byte* const out = block.literal_memory.data();
  block.literals = out;
  if (literals.type == LiteralsType::raw)
    std::copy_n(content, literals.bytes, out);
  else if (literals.type == LiteralsType::rle)
    std::fill_n(out, literals.bytes, content[0]);
  else
    return decode_streams(plan, out);
  return nullptr;
}

const char* BlockDecoder::decode_streams(const BlockPlan& plan, Byte* out) {
  take_tree(plan.tree, plan.literals.bytes);
  LiteralStreams found;
  if (!find_streams(plan.literals, out, found))
    return "its four streams of literals are more than their bytes";
  return loops_.decode_literals(huffman_, found);
}

void BlockDecoder::take_tree(const NumberedTree& tree, std::uint32_t literal_bytes) {
  if (huffman_serial_ != tree.serial) fill_one(tree.tree, huffman_);
  huffman_serial_ = tree.serial;
  if (!huffman_.has_two && literal_bytes >= min_literals_for_pairs &&
      tree.tree.code_bits <= largest_code_bits)
    fill_two(huffman_);
}

void BlockDecoder::take_table(CodeKind kind, const NumberedSource& source) {
  const auto of = static_cast<std::size_t>(kind);
  if (table_serials_[of] != source.serial) fill_table(kind, source.source, tables_[of]);
  table_serials_[of] = source.serial;
}

const char* BlockDecoder::decode_sequences(const BlockPlan& plan, DecodedBlock& block) {
  block.totals = {0, 0, 0, 0, {relative_offset(0), relative_offset(1), relative_offset(2)}};
  block.sequences = {};
  if (plan.sequences.count == 0) return nullptr;
  if (block.sequence_memory.size() < plan.sequences.count + max_cut_sequences)
    block.sequence_memory.reserve(largest_sequence_count + max_cut_sequences + 1);
  for (const CodeKind kind : {CodeKind::literal_length, CodeKind::offset, CodeKind::match_length})
    take_table(kind, plan.sources[static_cast<std::size_t>(kind)]);
  const char* const error =
      loops_.decode_sequences(plan.sequences.stream, plan.sequences.count, tables_,
                              block.sequence_memory.data(), block.totals);
  block.sequences = {block.sequence_memory.data(), error == nullptr ? block.totals.stored : 0};
  return error;
}

}  // namespace penstock::zstd
