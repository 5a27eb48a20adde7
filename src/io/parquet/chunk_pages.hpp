// Finds the pages in the bytes of a column chunk, and checks what their headers say.
#pragma once
#include <functional>

#include "codec/pages/paged_table.hpp"

namespace penstock::io {

// What page headers are checked against.
struct ChunkShape {
  pages::Physical physical = pages::Physical::int32;
  std::uint32_t fixed_bytes = 0;
  bool is_optional = false;
  // Of old writers, whose pages of version 2 are compressed whatever their headers say.
  bool is_always_compressed = false;
  std::uint64_t file_offset = 0;  // of the chunk
};

// Where an error is.
struct PageFault {
  std::uint32_t page = 0;         // of the data pages; ~0: the dictionary
  std::uint64_t file_offset = 0;  // of the page's header
};

// Reads bytes of a chunk from `at` on.
using BytesOnDemand = std::function<Status(std::size_t at, std::span<std::byte> to)>;

// Sets the pages of a chunk, of which all else is set. Reads headers until as many values as the
// row group has rows are found, as Arrow does; what follows is ignored. Pages without values and
// pages of other kinds are left out. `fault` is set where an error is returned. With `read`, the
// chunk's bytes are not there yet: dictionaries of strings and bodies with checksums are read to
// their place, and headers to memory that is used again: a new page for each took longer.
Status find_pages(pages::ChunkPages& chunk, const ChunkShape& shape, PageFault& fault,
                  const BytesOnDemand& read = {});

// Returns the bytes of a plain value of fixed width; 0: of booleans and byte arrays.
std::uint32_t plain_width(pages::Physical physical, std::uint32_t fixed_bytes);

}  // namespace penstock::io
