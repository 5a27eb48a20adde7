// Block headers, as far as they can be read without a table (RFC 8878, sections 3.1.1.2
// and 3.1.1.3): enough to find the parts of a block, and the next block.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "codec/zstd/format/zstd_constants.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

// Before four streams of literals: the sizes of the first three (RFC 8878, section 3.1.1.3.1.6).
inline constexpr std::size_t jump_table_bytes = 6;

struct BlockHeader {
  BlockType type = BlockType::raw;
  bool is_last = false;
  std::uint32_t size = 0;           // in the header: of content, or of an RLE block's text
  std::uint32_t content_bytes = 0;  // behind the header
};
std::string block_at(std::uint64_t number, std::uint64_t byte);  // "block 7 at byte 4711"
// Reads the header of the block that `rest` begins with, at the frame's byte `at`. All of its
// content must be there. Errors: Code::truncated, Code::corrupt.
Result<BlockHeader> read_block_head(std::span<const Byte> rest, std::uint64_t at,
                                    std::uint64_t number, std::uint32_t block_limit_bytes);
// Returns the bytes of the block that `rest` begins with as its header states them, which may be
// more than blocks have. `rest` has the header.
std::size_t stated_block_bytes(std::span<const Byte> rest);

// Read the other parts of a compressed block. Return null, or the error.
struct LiteralsPart {
  LiteralsType type = LiteralsType::raw;
  std::uint32_t header_bytes = 0, content_bytes = 0;
  std::uint32_t bytes = 0;  // decoded
  std::uint32_t stream_count = 1;
};
const char* read_literals_part(std::span<const Byte> rest, std::uint32_t block_limit_bytes,
                               LiteralsPart& part);

struct SequencesPart {
  std::uint32_t count = 0, header_bytes = 0;  // with the modes where there are sequences
  unsigned modes = 0;
  TableMode mode(unsigned shift) const {
    return static_cast<TableMode>(modes >> shift & 3);
  }  // 6, 4 and 2: in the order of tables
};
const char* read_sequences_part(std::span<const Byte> rest, std::uint32_t block_limit_bytes,
                                SequencesPart& part);

}  // namespace penstock::zstd
