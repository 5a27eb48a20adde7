#include "stream/lz4/lz4_format.hpp"

#include "codec/checksum/xxhash.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"

namespace penstock::stream {
namespace {

enum FrameFlag : unsigned {
  has_dictionary_id = 1,
  reserved_flag = 2,
  has_content_checksum = 4,
  has_content_size = 8,
  has_block_checksums = 16,
  has_independent_blocks = 32
};

Status check_descriptor(unsigned flags, unsigned blocks, const ErrorLocation& location) {
  const ErrorLocation flag_byte = location.at(location.offset + 4),
                      block_byte = location.at(location.offset + 5);
  if (flags >> 6 != 1)
    return flag_byte.error(Code::unsupported,
                           "unsupported frame version " + std::to_string(flags >> 6));
  if (flags & reserved_flag) return flag_byte.corrupt("reserved bit set in the frame flags");
  if (blocks & 0x8f) return block_byte.corrupt("reserved bits set in the block descriptor");
  if (blocks >> 4 < 4)
    return block_byte.corrupt("invalid maximum block size " + std::to_string(blocks >> 4));
  return {};
}

}  // namespace

Result<Lz4FrameHeader> parse_lz4_header(std::span<const std::byte> bytes,
                                        const ErrorLocation& location) {
  ByteReader reader(bytes);
  const std::uint32_t magic = reader.u32();
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  if (magic == lz4_legacy_magic)
    return Lz4FrameHeader{.header_bytes = 4, .block_bytes = legacy_block_bytes, .is_legacy = true};
  if (magic != lz4_magic) return location.corrupt("unknown frame magic number");
  const unsigned flags = reader.u8(), blocks = reader.u8();
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  PENSTOCK_TRY(check_descriptor(flags, blocks, location));
  Lz4FrameHeader header;
  header.block_bytes = std::uint64_t{1} << (8 + 2 * (blocks >> 4));  // 4: 64 KiB ... 7: 4 MiB
  header.has_dependent_blocks = !(flags & has_independent_blocks);
  header.has_block_checksums = flags & has_block_checksums;
  header.has_content_checksum = flags & has_content_checksum;
  if (flags & has_content_size) header.content_bytes = reader.number(8);
  if (flags & has_dictionary_id) header.dictionary_id = reader.u32();
  const std::size_t end = reader.position();
  const unsigned stored = reader.u8();
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  const unsigned computed = checksum::xxh32(bytes.subspan(4, end - 4)) >> 8 & 0xff;
  if (computed != stored)
    return location.at(location.offset + end).wrong_checksum("header checksum", computed, stored);
  header.header_bytes = reader.position();
  return header;
}

Result<std::optional<Lz4FrameHeader>> next_lz4_frame(Input& input, std::uint64_t frame) {
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, input.peek(max_lz4_header_bytes));
    const ErrorLocation location{Format::lz4, frame, input.offset()};
    if (bytes.empty()) return std::optional<Lz4FrameHeader>();
    PENSTOCK_ASSIGN(const bool was_skipped, skip_skippable_frame(input, bytes, location));
    if (was_skipped) continue;
    PENSTOCK_ASSIGN(Lz4FrameHeader header, parse_lz4_header(bytes, location));
    return std::optional(header);
  }
}

}  // namespace penstock::stream
