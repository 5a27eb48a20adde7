// Decodes one small Deflate stream (RFC 1951) sequentially into a buffer of the caller's.
// parallel_inflate.hpp decodes large ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "penstock/status.hpp"

namespace penstock::deflate {

struct Inflated {
  std::uint64_t input_bytes = 0;  // the stream's; bytes after it are ignored
  std::uint64_t output_bytes = 0;
};

// Decodes a stream. Accepts what zlib accepts. Errors name the block, counted from 1, and the byte:
// Code::corrupt, Code::truncated, or Code::capacity if `output` is too small. The output before
// an error is valid.
Result<Inflated> inflate(std::span<const std::byte> input, std::span<std::byte> output);

}  // namespace penstock::deflate
