// Column chunks of Parquet, as they may come: pages lie within the chunk and have the chunk's rows,
// and a header is read to its end and no further.
//
// The first bytes choose the column's type, whether it has NULLs, the compression and the number of
// rows. The chunk follows.
#include "fuzz/input.hpp"
#include "io/parquet/chunk_pages.hpp"
#include "io/parquet/page_headers.hpp"

namespace penstock::io {
namespace {

using fuzz::require;

void check_header(std::span<const std::byte> bytes) {
  const auto header = parse_page_header(bytes);
  if (!header.ok()) return require(header.status().code() == Code::corrupt, "an error's code");
  require(header->header_bytes <= bytes.size(), "a header lies within its bytes");
  const auto exact = bytes.first(header->header_bytes);
  const auto again = parse_page_header(exact);
  require(again.ok() && again->header_bytes == header->header_bytes &&
              again->value_count == header->value_count,
          "what follows a header does not change it");
  require(!parse_page_header(exact.first(exact.size() - 1)).ok(), "a cut header is refused");
}

void check_page(const pages::ChunkPages& chunk, const pages::Page& page, std::uint64_t& end) {
  require(page.offset >= end && page.offset <= chunk.bytes.size(), "pages do not overlap");
  require(page.stored_bytes <= chunk.bytes.size() - page.offset, "a page lies within its chunk");
  require(page.level_bytes <= std::min(page.stored_bytes, page.bytes), "levels lie within a page");
  require(page.is_compressed || page.bytes == page.stored_bytes, "a page as it is has one size");
  require(!page.is_compressed || chunk.compression != pages::Compression::none, "a codec is named");
  end = page.offset + page.stored_bytes;
}

void check_chunk(pages::ChunkPages& chunk, const ChunkShape& shape) {
  PageFault fault;
  if (!find_pages(chunk, shape, fault).ok())
    return require(fault.file_offset <= shape.file_offset + chunk.bytes.size(),
                   "an error lies within the chunk");
  std::uint64_t end = 0, rows = 0;
  if (chunk.dictionary) check_page(chunk, *chunk.dictionary, end);
  for (const pages::Page& page : chunk.data) {
    check_page(chunk, page, end);
    require(page.value_count > 0, "a page has values");
    require(chunk.dictionary || page.encoding != pages::Encoding::dictionary,
            "indices have a dictionary");
    rows += page.value_count;
  }
  require(rows == chunk.row_count, "pages have the rows of their row group");
}

}  // namespace
}  // namespace penstock::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  if (size < 4) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data) + 4, size - 4);
  io::check_header(bytes);
  io::ChunkShape shape;
  shape.physical = static_cast<pages::Physical>(data[0] % 8);
  shape.fixed_bytes = data[0] / 8 + 1;
  shape.is_optional = data[1] % 2 != 0;
  shape.is_always_compressed = data[1] % 4 == 3;
  shape.file_offset = 4;
  pages::ChunkPages chunk;
  chunk.bytes = bytes;
  chunk.compression = static_cast<pages::Compression>(data[2] % 6);
  chunk.row_count = data[3] + 1u;
  io::check_chunk(chunk, shape);
  return 0;
}
