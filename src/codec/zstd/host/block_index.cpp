#include "codec/zstd/host/block_index.hpp"

#include "codec/zstd/format/block_parts.hpp"

namespace penstock::zstd {

Status BlockIndex::next(std::size_t max_blocks, std::vector<BlockRow>& rows) {
  std::uint32_t sequences = 0;
  for (std::size_t i = 0; i < max_blocks && !is_at_end_; i++)
    PENSTOCK_TRY(take_block(rows, sequences));
  return {};
}

Status BlockIndex::take_block(std::vector<BlockRow>& rows, std::uint32_t& sequences) {
  PENSTOCK_ASSIGN(const BlockHeader head,
                  read_block_head(input_.subspan(at_), at_, blocks_, block_limit_bytes_));
  const auto begin = static_cast<std::uint32_t>(at_ + block_header_bytes);
  BlockRow row{.content = {begin, begin + head.content_bytes},
               .type = static_cast<std::uint32_t>(head.type),
               .size = head.size};
  row.first_sequence = sequences;  // of all blocks, so that the last block's end is the list's end
  if (head.type == BlockType::compressed)
    if (const char* error = take_parts(row, input_.subspan(begin, head.content_bytes), sequences))
      return Status(Code::corrupt, "Zstandard frame: " + block_at(blocks_, at_) + ": " + error);
  rows.push_back(row);
  at_ = row.content.end, blocks_++, is_at_end_ = head.is_last;
  return {};
}

const char* BlockIndex::take_parts(BlockRow& row, std::span<const Byte> content,
                                   std::uint32_t& sequences) {
  LiteralsPart literals;
  if (const char* error = read_literals_part(content, block_limit_bytes_, literals)) return error;
  if (literals.type == LiteralsType::compressed) tree_ = row.content;
  if (literals.type == LiteralsType::treeless) row.tree = tree_;
  SequencesPart part;
  if (const char* error =
          read_sequences_part(content.subspan(literals.header_bytes + literals.content_bytes),
                              block_limit_bytes_, part))
    return error;
  row.sequence_count = part.count;
  sequences += part.count;
  if (part.count == 0) return nullptr;
  for (unsigned kind = 0; kind < 3; kind++) {
    if (part.mode(6 - 2 * kind) == TableMode::repeat)
      row.tables[kind] = tables_[kind];
    else
      tables_[kind] = row.content;
  }
  return nullptr;
}

}  // namespace penstock::zstd
