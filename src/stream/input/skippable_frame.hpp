// The first bytes of Zstandard and LZ4 frames, and the frames that both formats skip.
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

constexpr std::uint32_t zstd_magic = 0xfd2fb528, lz4_magic = 0x184d2204,
                        lz4_legacy_magic = 0x184c2102;
// Frames that zstd and lz4 both skip: 0x184d2a50 to 0x184d2a5f, four bytes of length, and as many
// bytes.
constexpr bool is_skippable_magic(std::uint32_t magic) {
  return (magic & 0xfffffff0u) == 0x184d2a50u;
}

// Whether `bytes`, which are the input's next and which `place` names, begin a skippable frame,
// which is skipped.
Result<bool> skip_skippable_frame(Input& input, std::span<const std::byte> bytes,
                                  const Place& place);

}  // namespace penstock::stream
