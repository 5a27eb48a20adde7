// Defines the magic numbers of Zstandard and LZ4 frames and skips the frames that both formats
// skip.
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

constexpr std::uint32_t zstd_magic = 0xfd2fb528, lz4_magic = 0x184d2204,
                        lz4_legacy_magic = 0x184c2102;
// Returns whether zstd and lz4 both skip the frame: magic numbers 0x184d2a50 to 0x184d2a5f, four
// bytes of length, and as many bytes (RFC 8878, 3.1.2).
constexpr bool is_skippable_magic(std::uint32_t magic) {
  return (magic & 0xfffffff0u) == 0x184d2a50u;
}

// Skips the skippable frame that begins `bytes`, which are the input's next and begin at
// `location`. Returns false if another frame begins there.
Result<bool> skip_skippable_frame(Input& input, std::span<const std::byte> bytes,
                                  const ErrorLocation& location);

}  // namespace penstock::stream
