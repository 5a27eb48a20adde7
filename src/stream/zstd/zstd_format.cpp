#include "stream/zstd/zstd_format.hpp"

#include <algorithm>

#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t max_block_bytes = 128 << 10;

// Exponent and mantissa (3.1.1.1.2).
std::uint64_t window_bytes_of(unsigned descriptor) {
  const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

}  // namespace

Result<ZstdFrameHeader> parse_zstd_header(std::span<const std::byte> bytes, const Place& place) {
  ByteReader reader(bytes);
  const std::uint32_t magic = reader.u32();
  if (!reader.ended_early() && magic >= 0xfd2fb522 && magic <= 0xfd2fb527)
    return place.error(Code::unsupported, "it was written by zstd 0." +
                                              std::to_string(magic - 0xfd2fb520) +
                                              ", before the format was fixed");
  if (!reader.ended_early() && magic != zstd_magic) return place.corrupt("no frame begins here");
  const unsigned descriptor = reader.u8();
  const bool is_single_segment = descriptor & 32;
  if (descriptor & 8)
    return place.at(place.offset + 4).corrupt("the reserved bit of the frame's descriptor is set");
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
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  if (is_single_segment) header.window_bytes = *header.content_bytes;
  if (header.window_bytes > max_zstd_window_bytes)
    return place.at(place.offset + 5).error(Code::unsupported, "a window of more than 2 GiB");
  header.header_bytes = reader.at();
  return header;
}

Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Input& input, std::uint64_t frame) {
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, input.peek(max_zstd_header_bytes));
    const Place place{Format::zstd, frame, input.offset()};
    if (bytes.empty()) return std::optional<ZstdFrameHeader>();
    PENSTOCK_ASSIGN(const bool was_skipped, skip_skippable_frame(input, bytes, place));
    if (was_skipped) continue;
    PENSTOCK_ASSIGN(ZstdFrameHeader header, parse_zstd_header(bytes, place));
    return std::optional(header);
  }
}

Status check_zstd_dictionary(const ZstdFrameHeader& header, std::optional<std::uint32_t> given,
                             const Place& place) {
  if (header.dictionary_id == 0 || given == header.dictionary_id) return {};
  const std::string wanted = "it needs dictionary " + std::to_string(header.dictionary_id);
  if (!given) return place.error(Code::invalid, wanted + ", and none was given");
  return place.error(Code::invalid,
                     wanted + ", and " +
                         (*given == 0 ? "one without a number" : std::to_string(*given)) +
                         " was given");
}

Result<std::optional<ZstdExtent>> measure_zstd_frame(Input& input, const ZstdFrameHeader& header,
                                                     std::uint64_t max_bytes, const Place& place) {
  const std::uint64_t block_bytes = std::min(header.window_bytes, max_block_bytes);
  std::uint64_t at = header.header_bytes, output_bytes = 0;
  if (header.content_bytes.value_or(0) > max_bytes) return std::optional<ZstdExtent>();
  for (bool is_last = false; !is_last;) {
    PENSTOCK_ASSIGN(auto bytes, input.peek(at + 3));
    if (bytes.size() < at + 3) return place.at(place.offset + bytes.size()).ended();
    const auto word = static_cast<std::uint32_t>(ByteReader(bytes.subspan(at)).number(3));
    const unsigned kind = word >> 1 & 3;
    const std::uint32_t size = word >> 3;
    if (kind == 3) return place.at(place.offset + at).corrupt("a block of the reserved type");
    constexpr unsigned run_kind = 1, compressed_kind = 2;
    // Of a run this is what it becomes, which libzstd looks at only where it streams.
    if (size > (kind == run_kind ? block_bytes : max_block_bytes))
      return place.at(place.offset + at).corrupt("a block of more than 128 KiB or the window");
    at += 3 + (kind == run_kind ? 1 : size);
    output_bytes += kind == compressed_kind ? block_bytes : size;
    is_last = word & 1;
    if (at > max_bytes || (!header.content_bytes && output_bytes > max_bytes))
      return std::optional<ZstdExtent>();
  }
  if (header.has_checksum) at += 4;
  PENSTOCK_ASSIGN(const auto bytes, input.peek(at));
  if (bytes.size() < at) return place.at(place.offset + bytes.size()).ended();
  return std::optional(ZstdExtent{at, header.content_bytes.value_or(output_bytes), output_bytes});
}

}  // namespace penstock::stream
