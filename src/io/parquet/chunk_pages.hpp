// Finds the pages in the bytes of a column chunk, and checks what their headers say.
#pragma once
#include <functional>

#include "codec/pages/paged_table.hpp"

namespace penstock::io {

// Properties of a chunk that page headers are checked against.
struct ChunkShape {
  pages::Physical physical = pages::Physical::int32;
  std::uint32_t fixed_bytes = 0;
  bool is_optional = false;
  // Old writers compress pages of version 2 whatever their headers say.
  bool is_always_compressed = false;
  std::uint64_t file_offset = 0;  // of the chunk
};

// The place of an error.
struct PageFault {
  std::uint32_t page = 0;         // of the data pages; ~0: the dictionary
  std::uint64_t file_offset = 0;  // of the page's header
};

// Reads bytes of a chunk from `at` on.
using BytesOnDemand = std::function<Status(std::size_t at, std::span<std::byte> to)>;

// Sets the pages of a chunk; its other members are set already. Reads headers until they have as
// many values as the row group has rows, as Arrow does, and ignores the rest. Pages without values
// and pages of other kinds are left out. `fault` is set if an error is returned. With `read`, the
// chunk's bytes are not there yet: dictionaries of strings and bodies with checksums are read to
// their place, and headers to memory that is used again. A new memory page for each took longer.
Status find_pages(pages::ChunkPages& chunk, const ChunkShape& shape, PageFault& fault,
                  const BytesOnDemand& read = {});

// Returns the bytes of a plain value of fixed width; 0: of booleans and byte arrays.
std::uint32_t plain_width(pages::Physical physical, std::uint32_t fixed_bytes);

}  // namespace penstock::io
