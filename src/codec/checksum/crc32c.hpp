// CRC-32C (Castagnoli), the checksum of framed Snappy (RFC 3720, appendix B.4).
//
// By the instruction of SSE 4.2 where the CPU has it, else by a table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace penstock::checksum
