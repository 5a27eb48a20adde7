// Decodes the dictionary of a chunk of strings on the host.
#pragma once
#include "codec/pages/paged_table.hpp"

namespace penstock::io {

// Returns the entries of `chunk.dictionary`, which must be set, checked to be UTF-8. May throw what
// Arrow throws.
Result<Column> decode_dictionary(const pages::ChunkPages& chunk);

}  // namespace penstock::io
