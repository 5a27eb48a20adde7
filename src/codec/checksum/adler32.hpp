// Adler-32, zlib's checksum (RFC 1950, section 8.2): the sum of all bytes and one, and the sum of
// those sums, both modulo 65521.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

// Of bytes that follow those whose Adler-32 is `adler`; that of no bytes is 1.
std::uint32_t adler32(std::uint32_t adler, std::span<const std::byte> bytes);

// Of two runs of bytes, one behind the other, from the Adler-32 of each and the length of the
// second.
std::uint32_t adler32_combine(std::uint32_t first, std::uint32_t second,
                              std::uint64_t second_bytes);

// Of the Adler-32s of runs one behind the other, all of `run_bytes` but the last, which has
// `last_bytes`.
std::uint32_t adler32_joined(std::span<const std::uint32_t> adlers, std::uint64_t run_bytes,
                             std::uint64_t last_bytes);

// The row that runs where there are no vectors; for tests.
std::uint32_t adler32_by_bytes(std::uint32_t adler, std::span<const std::byte> bytes);

}  // namespace penstock::checksum
