// Parses the headers of LZ4 frames.
//
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md (1.6.3), with its legacy frames
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

struct Lz4FrameHeader {
  std::size_t header_bytes = 0;   // with the magic number
  std::uint64_t block_bytes = 0;  // the most that a block becomes
  bool is_legacy = false, has_dependent_blocks = false, has_block_checksums = false,
       has_content_checksum = false;
  std::optional<std::uint64_t> content_bytes = {};
  std::optional<std::uint32_t> dictionary_id = {};
};
constexpr std::size_t max_lz4_header_bytes = 19;
constexpr std::uint64_t legacy_block_bytes = 8 << 20;
// Set in the size of a stored block.
constexpr std::uint32_t stored_bit = 0x80000000;

// Parses the header at the beginning of `bytes`. Code::truncated if it is longer than they are.
Result<Lz4FrameHeader> parse_lz4_header(std::span<const std::byte> bytes,
                                        const ErrorLocation& location);

// Skips skippable frames and parses the header after them. Returns nothing at the input's end.
// `frame` is the number that errors name.
Result<std::optional<Lz4FrameHeader>> next_lz4_frame(Input& input, std::uint64_t frame);

// Returns the most that LZ4 makes of incompressible bytes. Legacy frames have no end mark:
// a size beyond this is the next frame's magic number.
constexpr std::uint64_t max_lz4_block_bytes(std::uint64_t bytes) {
  return bytes + bytes / 255 + 16;
}

}  // namespace penstock::stream
