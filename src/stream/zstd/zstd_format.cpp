#include "stream/zstd/zstd_format.hpp"

#include <algorithm>

#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/pipeline/context.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t max_block_bytes = 128 << 10;

// Decodes exponent and mantissa (RFC 8878, 3.1.1.1.2).
std::uint64_t window_bytes_of(unsigned descriptor) {
  const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

}  // namespace

Result<ZstdFrameHeader> parse_zstd_header(std::span<const std::byte> bytes,
                                          const ErrorLocation& location) {
  ByteReader reader(bytes);
  const std::uint32_t magic = reader.u32();
  if (!reader.ended_early() && magic >= 0xfd2fb522 && magic <= 0xfd2fb527)
    return location.error(Code::unsupported, "unsupported format of zstd version 0." +
                                                 std::to_string(magic - 0xfd2fb520));
  if (!reader.ended_early() && magic != zstd_magic)
    return location.corrupt("unknown frame descriptor");
  const unsigned descriptor = reader.u8();
  const bool is_single_segment = descriptor & 32;
  if (descriptor & 8)
    return location.at(location.offset + 4)
        .corrupt("reserved bit set in the frame header descriptor");
  ZstdFrameHeader header;
  header.has_checksum = descriptor & 4;
  if (!is_single_segment) header.window_bytes = window_bytes_of(reader.u8());
  constexpr unsigned dictionary_field_bytes[] = {0, 1, 2, 4}, content_field_bytes[] = {0, 2, 4, 8};
  header.dictionary_id =
      static_cast<std::uint32_t>(reader.number(dictionary_field_bytes[descriptor & 3]));
  const unsigned content_field =
      descriptor >> 6 == 0 && is_single_segment ? 1 : content_field_bytes[descriptor >> 6];
  if (content_field > 0)
    header.content_bytes = reader.number(content_field) + (content_field == 2 ? 256 : 0);
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  if (is_single_segment) header.window_bytes = *header.content_bytes;
  if (header.window_bytes > max_zstd_window_bytes)
    return location.at(location.offset + 5).error(Code::unsupported, "window is larger than 2 GiB");
  header.header_bytes = reader.position();
  return header;
}

Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Input& input, std::uint64_t frame,
                                                       std::uint64_t max_window_bytes) {
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, input.peek(max_zstd_header_bytes));
    const ErrorLocation location{Format::zstd, frame, input.offset()};
    if (bytes.empty()) return std::optional<ZstdFrameHeader>();
    PENSTOCK_ASSIGN(const bool was_skipped, skip_skippable_frame(input, bytes, location));
    if (was_skipped) continue;
    PENSTOCK_ASSIGN(ZstdFrameHeader header, parse_zstd_header(bytes, location));
    if (header.window_bytes > max_window_bytes)
      return location.error(Code::capacity, "window size is larger than the maximum: " +
                                                std::to_string(header.window_bytes) + " > " +
                                                std::to_string(max_window_bytes) + " bytes");
    return std::optional(header);
  }
}

Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Context& context) {
  return next_zstd_frame(context.input, context.next_member(), context.options.max_window_bytes);
}

Status check_zstd_dictionary(const ZstdFrameHeader& header, std::optional<std::uint32_t> given,
                             const ErrorLocation& location) {
  if (header.dictionary_id == 0 || given == header.dictionary_id) return {};
  const std::string needed =
      "dictionary " + std::to_string(header.dictionary_id) + " is needed and ";
  if (!given) return location.error(Code::invalid, needed + "none was given");
  const std::string number = *given == 0 ? "one without a number" : std::to_string(*given);
  return location.error(Code::invalid, needed + number + " was given");
}

Result<std::optional<ZstdExtent>> measure_zstd_frame(Input& input, const ZstdFrameHeader& header,
                                                     std::uint64_t max_bytes,
                                                     const ErrorLocation& location) {
  const std::uint64_t block_bytes = std::min(header.window_bytes, max_block_bytes);
  std::uint64_t offset = header.header_bytes, output_bytes = 0;
  if (header.content_bytes.value_or(0) > max_bytes) return std::optional<ZstdExtent>();
  for (bool is_last = false; !is_last;) {
    PENSTOCK_ASSIGN(auto bytes, input.peek(offset + 3));
    if (bytes.size() < offset + 3)
      return location.at(location.offset + bytes.size()).unexpected_end();
    const auto block_header =
        static_cast<std::uint32_t>(ByteReader(bytes.subspan(offset)).number(3));
    const unsigned kind = block_header >> 1 & 3;
    const std::uint32_t size = block_header >> 3;
    if (kind == 3) return location.at(location.offset + offset).corrupt("reserved block type");
    constexpr unsigned rle_kind = 1, compressed_kind = 2;
    // For an RLE block this is its output size, which libzstd checks only in streams.
    if (size > (kind == rle_kind ? block_bytes : max_block_bytes))
      return location.at(location.offset + offset).corrupt("block is larger than its maximum");
    offset += 3 + (kind == rle_kind ? 1 : size);
    output_bytes += kind == compressed_kind ? block_bytes : size;
    is_last = block_header & 1;
    if (offset > max_bytes || (!header.content_bytes && output_bytes > max_bytes))
      return std::optional<ZstdExtent>();
  }
  if (header.has_checksum) offset += 4;
  PENSTOCK_ASSIGN(const auto bytes, input.peek(offset));
  if (bytes.size() < offset) return location.at(location.offset + bytes.size()).unexpected_end();
  return std::optional(
      ZstdExtent{offset, header.content_bytes.value_or(output_bytes), output_bytes});
}

}  // namespace penstock::stream
