// CRC-32C (Castagnoli), the checksum of framed Snappy (RFC 3720, appendix B.4).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace penstock::checksum
