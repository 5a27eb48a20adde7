// Zstandard's frames (RFC 8878) from outside: their headers, and where they end. What is in their blocks is the decoder's.
#pragma once
#include "stream/input.hpp"
#include "stream/place.hpp"

namespace penstock::stream {

struct ZstdFrameHeader {
  std::size_t header_bytes = 0;                               // with the magic number
  std::uint64_t window_bytes = 0;
  std::optional<std::uint64_t> content_bytes = {};
  std::uint32_t dictionary_id = 0;                            // 0: none is named
  bool has_checksum = false;
};
// The header at the beginning of `bytes`, the magic number first. Code::truncated where it is longer than they are.
Result<ZstdFrameHeader> parse_zstd_header(std::span<const std::byte> bytes, const Place& place);
constexpr std::size_t most_zstd_header_bytes = 18;

struct ZstdExtent {
  std::uint64_t frame_bytes = 0;        // of the whole frame
  std::uint64_t most_output_bytes = 0;  // what the header or else the blocks' number says that it becomes at most
};
// Walks the headers of the blocks. None where the frame has more than most_bytes, or becomes more.
Result<std::optional<ZstdExtent>> measure_zstd_frame(Input& input, const ZstdFrameHeader& header, std::uint64_t most_bytes,
                                                     const Place& place);

}  // namespace penstock::stream
