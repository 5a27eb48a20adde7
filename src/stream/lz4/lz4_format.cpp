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

Status check_descriptor(unsigned flags, unsigned blocks, const Place& place) {
  const Place at_flags = place.at(place.offset + 4), at_blocks = place.at(place.offset + 5);
  if (flags >> 6 != 1)
    return at_flags.error(Code::unsupported, "version " + std::to_string(flags >> 6) +
                                                 " of the frame format; 1 is known");
  if (flags & reserved_flag)
    return at_flags.corrupt("the reserved bit of the frame's flags is set");
  if (blocks & 0x8f) return at_blocks.corrupt("reserved bits of the block descriptor are set");
  if (blocks >> 4 < 4)
    return at_blocks.corrupt("block size " + std::to_string(blocks >> 4) + " has no meaning");
  return {};
}

}  // namespace

Result<Lz4FrameHeader> parse_lz4_header(std::span<const std::byte> bytes, const Place& place) {
  ByteReader reader(bytes);
  const std::uint32_t magic = reader.u32();
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  if (magic == lz4_legacy_magic)
    return Lz4FrameHeader{.header_bytes = 4, .block_bytes = legacy_block_bytes, .is_legacy = true};
  if (magic != lz4_magic) return place.corrupt("no frame begins here");
  const unsigned flags = reader.u8(), blocks = reader.u8();
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  PENSTOCK_TRY(check_descriptor(flags, blocks, place));
  Lz4FrameHeader header;
  header.block_bytes = std::uint64_t{1} << (8 + 2 * (blocks >> 4));  // 4: 64 KiB ... 7: 4 MiB
  header.is_linked = !(flags & has_independent_blocks);
  header.has_block_checksums = flags & has_block_checksums;
  header.has_content_checksum = flags & has_content_checksum;
  if (flags & has_content_size) header.content_bytes = reader.number(8);
  if (flags & has_dictionary_id) header.dictionary_id = reader.u32();
  const std::size_t end = reader.at();
  const unsigned said = reader.u8();
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  const unsigned found = checksum::xxh32(bytes.subspan(4, end - 4)) >> 8 & 0xff;
  if (found != said)
    return place.at(place.offset + end).wrong_checksum("checksum of the header", found, said);
  header.header_bytes = reader.at();
  return header;
}

Result<std::optional<Lz4FrameHeader>> next_lz4_frame(Input& input, std::uint64_t frame) {
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, input.peek(max_lz4_header_bytes));
    const Place place{Format::lz4, frame, input.offset()};
    if (bytes.empty()) return std::optional<Lz4FrameHeader>();
    PENSTOCK_ASSIGN(const bool was_skipped, skip_skippable_frame(input, bytes, place));
    if (was_skipped) continue;
    PENSTOCK_ASSIGN(Lz4FrameHeader header, parse_lz4_header(bytes, place));
    return std::optional(header);
  }
}

}  // namespace penstock::stream
