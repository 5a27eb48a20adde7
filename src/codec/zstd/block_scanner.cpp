#include "codec/zstd/block_scanner.hpp"

#include <string>

#include "codec/zstd/bits.hpp"

namespace penstock::zstd {
namespace {

Status cut_short(std::uint64_t bytes, const std::string& within) {
  return {Code::truncated, "Zstandard frame: it ends within " + within + ", at byte " + std::to_string(bytes)};
}

std::string block_at(const BlockPlan& plan) {
  return "block " + std::to_string(plan.number) + " at byte " + std::to_string(plan.first_byte);
}

constexpr std::uint32_t least_four_streams_bytes = 6;
constexpr std::size_t jump_table_bytes = 6;

// The sizes in a literals section's header: its own bytes, what it decodes to, and what is coded (0 where none is told).
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
  return {(4 + 2 * bits + 7) / 8, static_cast<std::uint32_t>(head >> 4 & mask), static_cast<std::uint32_t>(head >> (4 + bits) & mask)};
}

}  // namespace

BlockScanner::BlockScanner(std::span<const Byte> frame, const FrameHeader& header, const Dictionary* dictionary)
    : frame_(frame), at_(header.header_bytes), block_limit_bytes_(header.block_limit_bytes()) {
  if (dictionary == nullptr || !dictionary->has_tables) return;
  tree_ = {dictionary->tree, ++tables_};
  for (std::size_t kind = 0; kind < sources_.size(); kind++) sources_[kind] = {dictionary->sources[kind], ++tables_};
}

Status BlockScanner::next(BlockPlan& plan) {
  plan.number = blocks_++;
  plan.first_byte = at_;
  if (frame_.size() - at_ < block_header_bytes) return cut_short(frame_.size(), block_at(plan) + ", in its header");
  const auto head = static_cast<std::uint32_t>(load_le(frame_.data() + at_, block_header_bytes));
  at_ += block_header_bytes;
  plan.is_last = (head & 1) != 0;
  plan.type = static_cast<BlockType>(head >> 1 & 3);
  const std::uint32_t size = head >> 3, content_bytes = plan.type == BlockType::rle ? 1 : size;
  if (plan.type == BlockType::reserved) return {Code::corrupt, "Zstandard frame: " + block_at(plan) + " is of the reserved type"};
  // By the format the window bounds compressed bytes too; libzstd's list of errata has a sound frame where it does not.
  const std::uint32_t limit = plan.type == BlockType::compressed ? largest_block_bytes : block_limit_bytes_;
  if (size > limit)
    return {Code::corrupt, "Zstandard frame: " + block_at(plan) + " has " + std::to_string(size) + " bytes, and its frame's have " +
                               std::to_string(limit) + " at most"};
  if (frame_.size() - at_ < content_bytes) return cut_short(frame_.size(), block_at(plan));
  plan.content = frame_.subspan(at_, content_bytes);
  plan.run_bytes = plan.type == BlockType::rle ? size : 0;
  at_ += content_bytes;
  return plan.type == BlockType::compressed ? read_compressed(plan) : Status();
}

Status BlockScanner::read_compressed(BlockPlan& plan) {
  std::span<const Byte> rest = plan.content;
  const char* fault = read_literals(rest, plan.literals);
  if (fault == nullptr) fault = read_sequences(rest, plan.sequences);
  if (fault != nullptr) return {Code::corrupt, "Zstandard frame: " + block_at(plan) + ": " + fault};
  if (plan.literals.type >= LiteralsType::compressed) plan.tree = tree_;
  if (plan.sequences.count != 0) plan.sources = sources_;
  return {};
}

const char* BlockScanner::read_literals(std::span<const Byte>& rest, LiteralsPlan& plan) {
  if (rest.empty()) return "it is compressed and empty";
  plan.type = static_cast<LiteralsType>(rest[0] & 3);
  const unsigned format = rest[0] >> 2 & 3;
  const std::uint64_t head = load_le(rest.data(), std::min<std::size_t>(rest.size(), 5));
  const bool is_coded = plan.type >= LiteralsType::compressed;
  const LiteralsSizes sizes = is_coded ? coded_sizes(format, head) : plain_sizes(format, head);
  const std::size_t content_bytes = is_coded ? sizes.coded : plan.type == LiteralsType::rle ? 1 : sizes.decoded;
  if (sizes.header_bytes + content_bytes > rest.size()) return "its literals reach beyond it";
  if (sizes.decoded > block_limit_bytes_) return "it has more literals than a block of its frame has bytes";
  plan.bytes = sizes.decoded;
  plan.stream_count = is_coded && format != 0 ? 4 : 1;
  plan.content = rest.subspan(sizes.header_bytes, content_bytes);
  rest = rest.subspan(sizes.header_bytes + content_bytes);
  if (plan.type == LiteralsType::treeless && tree_.serial == 0) return "its literals take an earlier Huffman tree, and there is none";
  if (plan.type == LiteralsType::compressed) {
    std::size_t used = 0;
    if (const char* fault = read_weights(plan.content, tree_.tree, used)) return fault;
    tree_.serial = ++tables_;
    plan.content = plan.content.subspan(used);
  }
  if (is_coded && plan.bytes == 0) return "it has Huffman codes for no literals";
  if (plan.stream_count == 1) return nullptr;
  if (plan.bytes < least_four_streams_bytes) return "its literals are too few for four streams";
  return plan.content.size() < jump_table_bytes + 4 ? "its four streams of literals are cut short" : nullptr;
}

// Zero sequences end the block, in the form of two bytes as in that of one (libzstd to 1.5.5 read tables behind the former).
const char* BlockScanner::read_sequences(std::span<const Byte> rest, SequencesPlan& plan) {
  if (rest.empty()) return "its number of sequences is cut short";
  const unsigned head = rest[0], head_bytes = head < 128 ? 1 : head < 255 ? 2 : 3;
  if (rest.size() < head_bytes) return "its number of sequences is cut short";
  plan.count = head < 128 ? head : head < 255 ? ((head - 128) << 8) + rest[1] : rest[1] + (rest[2] << 8) + 0x7F00u;
  rest = rest.subspan(head_bytes);
  plan.stream = {};
  if (plan.count == 0) return rest.empty() ? nullptr : "it has bytes behind its literals, and no sequences";
  if (3 * plan.count > block_limit_bytes_) return "its sequences give more than a block of its frame has bytes";
  if (rest.empty()) return "the modes of its sequences' tables are cut short";
  const unsigned modes = rest[0];
  // libzstd to 1.5.5 did not look.
  if ((modes & 3) != 0) return "reserved bits of its sequences' tables are set";
  rest = rest.subspan(1);
  const auto mode = [modes](unsigned shift) { return static_cast<TableMode>(modes >> shift & 3); };
  if (const char* fault = read_source(rest, CodeKind::literal_length, mode(6))) return fault;
  if (const char* fault = read_source(rest, CodeKind::offset, mode(4))) return fault;
  if (const char* fault = read_source(rest, CodeKind::match_length, mode(2))) return fault;
  plan.stream = rest;
  return nullptr;
}

const char* BlockScanner::read_source(std::span<const Byte>& rest, CodeKind kind, TableMode mode) {
  NumberedSource& numbered = sources_[static_cast<std::size_t>(kind)];
  if (mode == TableMode::repeat) return numbered.serial == 0 ? "its sequences take an earlier table, and there is none" : nullptr;
  std::size_t used = 0;
  if (mode == TableMode::fse) {
    const char* fault = read_distribution(rest, largest_log_of(kind), code_count_of(kind), numbered.source.distribution, used);
    if (fault != nullptr) return fault;
  } else if (mode == TableMode::rle) {
    if (rest.empty()) return "the one code of its sequences is cut short";
    if (rest[0] >= code_count_of(kind)) return "the one code of its sequences is none of the format's";
    numbered.source.rle_code = rest[0];
    used = 1;
  }
  const bool is_known = mode == TableMode::predefined && numbered.serial != 0 && numbered.source.mode == TableMode::predefined;
  numbered.source.mode = mode;
  if (!is_known) numbered.serial = ++tables_;
  rest = rest.subspan(used);
  return nullptr;
}

}  // namespace penstock::zstd
