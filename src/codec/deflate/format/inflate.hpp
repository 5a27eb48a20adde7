// One Deflate stream (RFC 1951) decoded at once and in order, into a buffer of the caller's: for
// small ones. parallel_inflate.hpp has the decoder for large ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "penstock/status.hpp"

namespace penstock::deflate {

struct Inflated {
  std::uint64_t input_bytes = 0;  // the stream's; what follows it is not looked at
  std::uint64_t output_bytes = 0;
};

// Errors name the block, counted from 1, and the place in the input: `corrupt`, `truncated`, and
// `capacity` where the output is too small. What was written by then is part of the stream's text.
// Sound is what zlib takes.
Result<Inflated> inflate(std::span<const std::byte> input, std::span<std::byte> output);

}  // namespace penstock::deflate
