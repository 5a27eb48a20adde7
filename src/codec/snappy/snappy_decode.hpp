// Decodes Snappy blocks on the host (format_description.txt of github.com/google/snappy).
//
// A block is the output size as a varint, then elements: literals and copies from earlier output
// (LZ77 without entropy coding). Pages of Parquet dictionaries are short literals and short copies,
// at which other decoders wait for the length of each element before they look at the next one.
// This decoder reads a literal and the copy after it from one load.
//
// Safe on hostile input: the fast loop stops where an element could read or write out of bounds,
// and every offset is compared with the output so far. The slow loop checks each byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace penstock::io {

// Returns the output size that the preamble stores. Returns nullopt for a damaged preamble, and for
// a size that so few bytes of input cannot make.
std::optional<std::uint64_t> snappy_length(std::span<const std::uint8_t> compressed);

// Decodes a block to `out`. `length` must be the result of snappy_length(). Returns whether the
// block is valid and has exactly `length` bytes of output. Writes no byte beyond them.
bool snappy_decompress(std::span<const std::uint8_t> compressed, std::uint8_t* out,
                       std::uint64_t length);

}  // namespace penstock::io
