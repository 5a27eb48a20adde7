// A frame's header (RFC 8878, section 3.1.1.1).
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

struct FrameHeader {
  std::uint64_t window_bytes = 0;              // of a single segment: the content's size
  std::optional<std::uint64_t> content_bytes;  // where it is stated
  std::uint32_t dictionary_id = 0;             // 0: none is named
  bool is_single_segment = false, has_checksum = false;
  std::uint32_t header_bytes = 0;  // with the magic number

  std::uint32_t block_limit_bytes() const {
    return static_cast<std::uint32_t>(window_bytes < largest_block_bytes ? window_bytes
                                                                         : largest_block_bytes);
  }
};

constexpr std::size_t largest_frame_header_bytes = 18;
// Reads the header at the beginning of `input`. Errors: Code::truncated if the input ends too
// early, Code::corrupt if it is not a Zstandard frame, Code::unsupported if the reserved bit is set
// or the window has 4 GiB or more.
Result<FrameHeader> read_frame_header(std::span<const std::byte> input);

}  // namespace penstock::zstd
