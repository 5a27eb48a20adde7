// Snappy's format decoded by a loop of our own: pages of dictionaries are made of short literals
// and short copies, at which the usual decoders wait for each element's length before they look at
// the next one.
//
// https://github.com/google/snappy/blob/main/format_description.txt
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace penstock::io {

// What the preamble says the bytes become; none where it is damaged or says more than so few bytes
// can become.
std::optional<std::uint64_t> snappy_length(std::span<const std::uint8_t> compressed);

// Whether the bytes are well formed and become exactly `length` bytes, what snappy_length() said.
// Writes no further than that.
bool snappy_decompress(std::span<const std::uint8_t> compressed, std::uint8_t* out,
                       std::uint64_t length);

}  // namespace penstock::io
