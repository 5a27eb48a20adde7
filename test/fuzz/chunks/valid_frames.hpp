// Valid headers and checksums around a chunk's blocks, which a fuzzer does not find by itself. The
// checksums are of the bytes that the format's own library decodes from the blocks.
#pragma once
#include "chunk_references.hpp"

namespace penstock::fuzz {

// Returns a header, chosen by `how`, followed by these bytes as blocks; the bytes themselves for
// formats without a header.
batch::Bytes framed(batch::Format format, const batch::Bytes& blocks, std::uint32_t how);
// Returns the same chunk, with its checksum if its blocks are valid. Headers may come from framed()
// or from the libraries.
batch::Bytes with_checksum(batch::Format format, batch::Bytes chunk);

}  // namespace penstock::fuzz
