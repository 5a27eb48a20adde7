// What stands around a chunk's blocks made right, which a fuzzer does not find by itself: headers,
// and checksums of what the format's own library makes of the blocks.
#pragma once
#include "chunk_references.hpp"

namespace penstock::fuzz {

// A header, as `how` chooses among them, and behind it these bytes as blocks; of formats that have
// no header the bytes themselves.
batch::Bytes framed(batch::Format format, const batch::Bytes& blocks, std::uint32_t how);
// The same chunk; where its blocks are sound with their checksum. Headers are as framed() and the
// libraries make them.
batch::Bytes with_checksum(batch::Format format, batch::Bytes chunk);

}  // namespace penstock::fuzz
