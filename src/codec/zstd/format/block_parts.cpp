#include "codec/zstd/format/block_parts.hpp"

#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

Status cut_short(std::uint64_t bytes, const std::string& within) {
  return {Code::truncated,
          "Zstandard frame: it ends within " + within + ", at byte " + std::to_string(bytes)};
}

constexpr std::uint32_t min_four_streams_bytes = 6;

// The sizes in a literals section header: its own bytes, the decoded size, and the coded size (0
// where it is not stored).
struct LiteralsSizes {
  unsigned header_bytes = 0;
  std::uint32_t decoded = 0, coded = 0;
};

LiteralsSizes plain_sizes(unsigned format, std::uint64_t head) {
  if (format == 1) return {2, static_cast<std::uint32_t>(head >> 4 & 0xFFF), 0};
  if (format == 3) return {3, static_cast<std::uint32_t>(head >> 4 & 0xFFFFF), 0};
  return {1, static_cast<std::uint32_t>(head >> 3 & 31), 0};
}

LiteralsSizes coded_sizes(unsigned format, std::uint64_t head) {
  const unsigned bits = format == 3 ? 18 : format == 2 ? 14 : 10;
  const std::uint64_t mask = (1u << bits) - 1;
  return {(4 + 2 * bits + 7) / 8, static_cast<std::uint32_t>(head >> 4 & mask),
          static_cast<std::uint32_t>(head >> (4 + bits) & mask)};
}

}  // namespace

std::string block_at(std::uint64_t number, std::uint64_t byte) {
  return "block " + std::to_string(number) + " at byte " + std::to_string(byte);
}

std::size_t stated_block_bytes(std::span<const Byte> rest) {
  const auto word = static_cast<std::uint32_t>(load_le(rest.data(), block_header_bytes));
  const bool is_rle = static_cast<BlockType>(word >> 1 & 3) == BlockType::rle;
  return block_header_bytes + (is_rle ? 1 : word >> 3);
}

Result<BlockHeader> read_block_head(std::span<const Byte> rest, std::uint64_t at,
                                    std::uint64_t number, std::uint32_t block_limit_bytes) {
  const auto corrupt = [&](const std::string& error) {
    return Status(Code::corrupt, "Zstandard frame: " + block_at(number, at) + error);
  };
  if (rest.size() < block_header_bytes)
    return cut_short(at + rest.size(), block_at(number, at) + ", in its header");
  const auto word = static_cast<std::uint32_t>(load_le(rest.data(), block_header_bytes));
  BlockHeader head{static_cast<BlockType>(word >> 1 & 3), (word & 1) != 0, word >> 3, 0};
  head.content_bytes = head.type == BlockType::rle ? 1 : head.size;
  if (head.type == BlockType::reserved) return corrupt(" is of the reserved type");
  // The format says that the window bounds compressed blocks too. libzstd's list of errata has a
  // valid frame where it does not.
  const std::uint32_t limit =
      head.type == BlockType::compressed ? largest_block_bytes : block_limit_bytes;
  if (head.size > limit)
    return corrupt(" has " + std::to_string(head.size) + " bytes, and its frame's have " +
                   std::to_string(limit) + " at most");
  if (rest.size() - block_header_bytes < head.content_bytes)
    return cut_short(at + rest.size(), block_at(number, at));
  return head;
}

const char* read_literals_part(std::span<const Byte> rest, std::uint32_t block_limit_bytes,
                               LiteralsPart& part) {
  if (rest.empty()) return "it is compressed and empty";
  part.type = static_cast<LiteralsType>(rest[0] & 3);
  const unsigned format = rest[0] >> 2 & 3;
  const std::uint64_t head = load_le(rest.data(), std::min<std::size_t>(rest.size(), 5));
  const bool is_coded = part.type >= LiteralsType::compressed;
  const LiteralsSizes sizes = is_coded ? coded_sizes(format, head) : plain_sizes(format, head);
  part.header_bytes = sizes.header_bytes;
  part.content_bytes = is_coded ? sizes.coded : part.type == LiteralsType::rle ? 1 : sizes.decoded;
  part.bytes = sizes.decoded;
  part.stream_count = is_coded && format != 0 ? 4 : 1;
  if (std::uint64_t{part.header_bytes} + part.content_bytes > rest.size())
    return "its literals reach beyond it";
  if (part.bytes > block_limit_bytes)
    return "it has more literals than a block of its frame has bytes";
  if (is_coded && part.bytes == 0) return "it has Huffman codes for no literals";
  return part.stream_count == 4 && part.bytes < min_four_streams_bytes
             ? "its literals are too few for four streams"
             : nullptr;
}

// Zero sequences end the block, in the two-byte form as in the one-byte form (libzstd to 1.5.5 read
// tables after the former).
const char* read_sequences_part(std::span<const Byte> rest, std::uint32_t block_limit_bytes,
                                SequencesPart& part) {
  if (rest.empty()) return "its number of sequences is cut short";
  const unsigned head = rest[0];
  part.header_bytes = head < 128 ? 1 : head < 255 ? 2 : 3;
  if (rest.size() < part.header_bytes) return "its number of sequences is cut short";
  part.count = head < 128   ? head
               : head < 255 ? ((head - 128) << 8) + rest[1]
                            : rest[1] + (rest[2] << 8) + 0x7F00u;
  rest = rest.subspan(part.header_bytes);
  if (part.count == 0)
    return rest.empty() ? nullptr : "it has bytes behind its literals, and no sequences";
  if (3 * part.count > block_limit_bytes)
    return "its sequences give more than a block of its frame has bytes";
  if (rest.empty()) return "the modes of its sequences' tables are cut short";
  part.modes = rest[0], part.header_bytes++;
  // libzstd to 1.5.5 did not check.
  return (part.modes & 3) != 0 ? "reserved bits of its sequences' tables are set" : nullptr;
}

}  // namespace penstock::zstd
