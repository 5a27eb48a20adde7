// CRC-32 of gzip, zlib and PNG: polynomial 0x04c11db7, reflected bits (RFC 1952, section 8;
// ISO 3309).
//
// Carry-less multiplication folds 64 bytes at a time (Gopal et al., "Fast CRC Computation for
// Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009). CPUs without it use slicing-by-8
// (Kounavis and Berry, 2005). The CRC of two runs is the CRC of the first, times x^8 for each byte
// of the second, plus the CRC of the second.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

// Returns the CRC-32 of bytes that follow bytes with the CRC-32 `crc`; no bytes have 0.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

// Returns the CRC-32 of two consecutive runs, from that of each and the second's length.
std::uint32_t crc32_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// Returns the CRC-32 of consecutive runs, all of `run_bytes` bytes but the last, which has
// `last_bytes`.
std::uint32_t crc32_joined(std::span<const std::uint32_t> crcs, std::uint64_t run_bytes,
                           std::uint64_t last_bytes);

// The variant for CPUs without carry-less multiplication; declared for tests.
std::uint32_t crc32_by_tables(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace penstock::checksum
