#include "codec/zstd/host/block_scanner.hpp"

#include <string>
#include <utility>

#include "codec/zstd/format/block_parts.hpp"

namespace penstock::zstd {
BlockScanner::BlockScanner(FrameInput& frame, const FrameHeader& header,
                           const Dictionary* dictionary)
    : frame_(frame), at_(header.header_bytes), block_limit_bytes_(header.block_limit_bytes()) {
  if (dictionary == nullptr || !dictionary->has_tables) return;
  tree_ = {dictionary->tree, ++tables_};
  for (std::size_t kind = 0; kind < sources_.size(); kind++)
    sources_[kind] = {dictionary->sources[kind], ++tables_};
}

// Returns the next block's bytes, and the available bytes after them.
Result<FrameBytes> BlockScanner::block_bytes() {
  PENSTOCK_ASSIGN(FrameBytes found, frame_.bytes_from(at_, block_header_bytes));
  if (found.bytes.size() < block_header_bytes) return found;
  const std::size_t bytes = stated_block_bytes(found.bytes);
  const bool is_valid = bytes <= block_header_bytes + largest_block_bytes;
  return !is_valid || found.bytes.size() >= bytes ? found : frame_.bytes_from(at_, bytes);
}

Status BlockScanner::next(BlockPlan& plan) {
  plan.number = blocks_++;
  plan.first_byte = at_;
  PENSTOCK_ASSIGN(FrameBytes found, block_bytes());
  PENSTOCK_ASSIGN(const BlockHeader head,
                  read_block_head(found.bytes, at_, plan.number, block_limit_bytes_));
  plan.is_last = head.is_last;
  plan.type = head.type;
  plan.content = found.bytes.subspan(block_header_bytes, head.content_bytes);
  plan.readable_end = found.bytes.data() + found.bytes.size();
  plan.owner = std::move(found.owner);
  plan.run_bytes = plan.type == BlockType::rle ? head.size : 0;
  at_ += block_header_bytes + head.content_bytes;
  return plan.type == BlockType::compressed ? read_compressed(plan) : Status();
}

Status BlockScanner::read_compressed(BlockPlan& plan) {
  std::span<const Byte> rest = plan.content;
  const char* error = read_literals(rest, plan.literals);
  if (error == nullptr) error = read_sequences(rest, plan.sequences);
  if (error != nullptr)
    return {Code::corrupt,
            "Zstandard frame: " + block_at(plan.number, plan.first_byte) + ": " + error};
  if (plan.literals.type >= LiteralsType::compressed) plan.tree = tree_;
  if (plan.sequences.count != 0) plan.sources = sources_;
  return {};
}

const char* BlockScanner::read_literals(std::span<const Byte>& rest, LiteralsPlan& plan) {
  LiteralsPart part;
  if (const char* error = read_literals_part(rest, block_limit_bytes_, part)) return error;
  plan.type = part.type;
  plan.bytes = part.bytes;
  plan.stream_count = part.stream_count;
  plan.content = rest.subspan(part.header_bytes, part.content_bytes);
  rest = rest.subspan(part.header_bytes + part.content_bytes);
  if (plan.type == LiteralsType::treeless && tree_.serial == 0)
    return "its literals take an earlier Huffman tree, and there is none";
  if (plan.type == LiteralsType::compressed) {
    std::size_t used = 0;
    if (const char* error = read_weights(plan.content, largest_code_bits, tree_.tree, used))
      return error;
    tree_.serial = ++tables_;
    plan.content = plan.content.subspan(used);
  }
  if (plan.stream_count == 1) return nullptr;
  return plan.content.size() < jump_table_bytes + 4 ? "its four streams of literals are cut short"
                                                    : nullptr;
}

const char* BlockScanner::read_sequences(std::span<const Byte> rest, SequencesPlan& plan) {
  SequencesPart part;
  if (const char* error = read_sequences_part(rest, block_limit_bytes_, part)) return error;
  plan.count = part.count;
  plan.stream = {};
  if (plan.count == 0) return nullptr;
  rest = rest.subspan(part.header_bytes);
  if (const char* error = read_source(rest, CodeKind::literal_length, part.mode(6))) return error;
  if (const char* error = read_source(rest, CodeKind::offset, part.mode(4))) return error;
  if (const char* error = read_source(rest, CodeKind::match_length, part.mode(2))) return error;
  plan.stream = rest;
  return nullptr;
}

const char* BlockScanner::read_source(std::span<const Byte>& rest, CodeKind kind, TableMode mode) {
  NumberedSource& numbered = sources_[static_cast<std::size_t>(kind)];
  if (mode == TableMode::repeat)
    return numbered.serial == 0 ? "its sequences take an earlier table, and there is none"
                                : nullptr;
  std::size_t used = 0;
  if (mode == TableMode::fse) {
    const char* error = read_distribution(rest, largest_log_of(kind), code_count_of(kind),
                                          numbered.source.distribution, used);
    if (error != nullptr) return error;
  } else if (mode == TableMode::rle) {
    if (rest.empty()) return "the one code of its sequences is cut short";
    if (rest[0] >= code_count_of(kind))
      return "the one code of its sequences is none of the format's";
    numbered.source.rle_code = rest[0];
    used = 1;
  }
  numbered.source.mode = mode;
  numbered.serial = mode == TableMode::predefined ? predefined_serial : ++tables_;
  rest = rest.subspan(used);
  return nullptr;
}

}  // namespace penstock::zstd
