// Adler-32, zlib's checksum (RFC 1950, section 8.2): 1 plus the sum of all bytes, and the sum of
// those running sums, both modulo 65521.
//
// Vectors of 32 bytes are added with weights of 32 to 1 if the CPU has AVX2. The modulus is
// taken as seldom as 32 bits allow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

// Returns the Adler-32 of bytes that follow bytes with the Adler-32 `adler`; no bytes have 1.
std::uint32_t adler32(std::uint32_t adler, std::span<const std::byte> bytes);

// Returns the Adler-32 of two consecutive runs, from that of each and the second's length.
std::uint32_t adler32_combine(std::uint32_t first, std::uint32_t second,
                              std::uint64_t second_bytes);

// Returns the Adler-32 of consecutive runs, all of `run_bytes` bytes but the last, which has
// `last_bytes`.
std::uint32_t adler32_joined(std::span<const std::uint32_t> adlers, std::uint64_t run_bytes,
                             std::uint64_t last_bytes);

// The variant for CPUs without AVX2; declared for tests.
std::uint32_t adler32_by_bytes(std::uint32_t adler, std::span<const std::byte> bytes);

}  // namespace penstock::checksum
