// Constants of Zstandard (RFC 8878, sections 3.1.1 and 5).
#pragma once
#include <cstddef>
#include <cstdint>

namespace penstock::zstd {

using Byte = std::uint8_t;

constexpr std::uint32_t frame_magic = 0xFD2FB528, dictionary_magic = 0xEC30A437;
constexpr std::uint32_t block_header_bytes = 3, checksum_bytes = 4;
constexpr std::uint32_t largest_block_bytes =
    128 << 10;  // section 3.1.1.2.4, smaller where the window is

enum class BlockType : std::uint8_t { raw, rle, compressed, reserved };
enum class LiteralsType : std::uint8_t { raw, rle, compressed, treeless };
enum class TableMode : std::uint8_t { predefined, rle, fse, repeat };

// The longest Huffman code of literals (section 4.2.1), and the largest accuracies of FSE tables
// (3.1.1.3.2.1.1, 4.2.1.2).
constexpr unsigned largest_code_bits = 11;
// That of a dictionary's tree: libzstd's trainer writes one more bit.
constexpr unsigned largest_dictionary_code_bits = 12;
constexpr unsigned literal_length_log = 9, match_length_log = 9, offset_log = 8, weight_log = 6;
constexpr unsigned literal_length_codes = 36, match_length_codes = 53, offset_codes = 32;

// A sequence makes three bytes or more, so a block of 128 KiB has at most this many.
constexpr std::uint32_t largest_sequence_count = largest_block_bytes / 3;

// The hot loops may read this far before a bit stream's first byte, and write this far after a
// block's last.
constexpr std::size_t copy_slack_bytes = 64;

}  // namespace penstock::zstd
