// CRC-32 as gzip, zlib and PNG have it: polynomial 0x04c11db7, bits reflected (RFC 1952, section 8;
// ISO 3309).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

// Of bytes that follow those whose CRC-32 is `crc`; that of no bytes is 0.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

// Of two runs of bytes, one behind the other, from the CRC-32 of each and the length of the second.
std::uint32_t crc32_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// Of the CRC-32s of runs one behind the other, all of `run_bytes` but the last, which has
// `last_bytes`.
std::uint32_t crc32_joined(std::span<const std::uint32_t> crcs, std::uint64_t run_bytes,
                           std::uint64_t last_bytes);

// The row that runs where there is no carry-less multiplication; for tests.
std::uint32_t crc32_by_tables(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace penstock::checksum
