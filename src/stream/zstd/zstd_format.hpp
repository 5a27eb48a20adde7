// Parses the headers of Zstandard frames and blocks (RFC 8878) and finds where frames end. The
// content of blocks is the decoder's.
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

struct Context;

struct ZstdFrameHeader {
  std::size_t header_bytes = 0;  // with the magic number
  std::uint64_t window_bytes = 0;
  std::optional<std::uint64_t> content_bytes = {};
  std::uint32_t dictionary_id = 0;  // 0: none is named
  bool has_checksum = false;
};
// Parses the header at the beginning of `bytes`. Code::truncated if it is longer than they are.
Result<ZstdFrameHeader> parse_zstd_header(std::span<const std::byte> bytes,
                                          const ErrorLocation& location);
constexpr std::size_t max_zstd_header_bytes = 18;
// The largest file that a device decodes: kernels count in 32 bits.
constexpr std::uint64_t max_zstd_device_bytes = (std::uint64_t{1} << 32) - 64;
constexpr std::uint64_t max_zstd_window_bytes = std::uint64_t{1} << 31;  // libzstd's, for streams
// Skips skippable frames and parses the header after them. Returns nothing at the input's end.
// Code::capacity for a window of more than `max_window_bytes`. `frame` is the number that errors
// name.
Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Input& input, std::uint64_t frame,
                                                       std::uint64_t max_window_bytes);
// Does so for the context's next frame.
Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Context& context);
// Checks that the dictionary of number `given` is the one that the frame names. 0 is a dictionary
// without a number.
Status check_zstd_dictionary(const ZstdFrameHeader& header, std::optional<std::uint32_t> given,
                             const ErrorLocation& location);

// Frames of at most this many bytes, compressed and decompressed, are decoded whole and several at
// once. Longer ones have several threads inside of them. On two cores four such frames are in
// memory at once.
constexpr std::uint64_t max_whole_frame_bytes = std::uint64_t{16} << 20;

struct ZstdExtent {
  std::uint64_t frame_bytes = 0;  // of the whole frame
  // The most that it becomes by its header, or else by the number of its blocks.
  std::uint64_t max_output_bytes = 0;
  std::uint64_t max_blocks_bytes = 0;  // by the number of its blocks, whatever the header says
};
// Walks the headers of the blocks. Returns nothing if the frame has more than max_bytes, or
// becomes more.
Result<std::optional<ZstdExtent>> measure_zstd_frame(Input& input, const ZstdFrameHeader& header,
                                                     std::uint64_t max_bytes,
                                                     const ErrorLocation& location);

}  // namespace penstock::stream
