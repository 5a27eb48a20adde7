// Zstandard's frames (RFC 8878) from outside: their headers, and where they end. What is in their
// blocks is the decoder's.
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

struct ZstdFrameHeader {
  std::size_t header_bytes = 0;  // with the magic number
  std::uint64_t window_bytes = 0;
  std::optional<std::uint64_t> content_bytes = {};
  std::uint32_t dictionary_id = 0;  // 0: none is named
  bool has_checksum = false;
};
// The header at the beginning of `bytes`, the magic number first. Code::truncated where it is
// longer than they are.
Result<ZstdFrameHeader> parse_zstd_header(std::span<const std::byte> bytes, const Place& place);
constexpr std::size_t max_zstd_header_bytes = 18;
constexpr std::uint64_t max_zstd_device_bytes =
    (std::uint64_t{1} << 32) - 64;  // of a file: kernels count in 32 bits
constexpr std::uint64_t max_zstd_window_bytes = std::uint64_t{1} << 31;  // libzstd's, for streams
// Skips skippable frames; the header behind them, or none where the input ends. Errors name the
// frame by its number.
Result<std::optional<ZstdFrameHeader>> next_zstd_frame(Input& input, std::uint64_t frame);
// `given` is the number of the dictionary that there is, 0 of one that has none.
Status check_zstd_dictionary(const ZstdFrameHeader& header, std::optional<std::uint32_t> given,
                             const Place& place);

// Frames of at most so many bytes, before and after, are decoded whole and several at once; longer
// ones have threads inside of them, where the input is mapped. Four times as many are held at once
// on two cores.
inline std::uint64_t max_threaded_frame_bytes(const Input& input) {
  return std::uint64_t{input.is_mapped() ? 16u : 64u} << 20;
}

struct ZstdExtent {
  std::uint64_t frame_bytes = 0;  // of the whole frame
  std::uint64_t remaining_output_bytes =
      0;  // what the header or else the blocks' number says that it becomes at most
  std::uint64_t max_blocks_bytes = 0;  // what the blocks' number says, whatever the header does
};
// Walks the headers of the blocks. None where the frame has more than max_bytes, or becomes more.
Result<std::optional<ZstdExtent>> measure_zstd_frame(Input& input, const ZstdFrameHeader& header,
                                                     std::uint64_t max_bytes, const Place& place);

}  // namespace penstock::stream
