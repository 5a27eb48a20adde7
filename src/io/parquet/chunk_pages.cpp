#include "io/parquet/chunk_pages.hpp"

#include <algorithm>

#include "codec/checksum/crc32.hpp"
#include "io/parquet/page_headers.hpp"

namespace penstock::io {
namespace {

using pages::ChunkPages;
using pages::Compression;
using pages::Page;

// Most headers have some 30 to 100 bytes, more where they have statistics.
constexpr std::size_t first_header_bytes = 256;

Status corrupt_page(std::string why) { return {Code::corrupt, std::move(why)}; }

// As parquet.thrift numbers them.
std::optional<pages::Encoding> encoding_of(std::int32_t number) {
  switch (number) {
    case 0: return pages::Encoding::plain;
    case 2:
    case 8: return pages::Encoding::dictionary;
    case 3: return pages::Encoding::rle;
    case 5: return pages::Encoding::delta;
    case 6: return pages::Encoding::delta_lengths;
    case 7: return pages::Encoding::delta_bytes;
    case 9: return pages::Encoding::byte_streams;
    default: return std::nullopt;
  }
}

bool can_encode(pages::Encoding encoding, pages::Physical physical) {
  switch (encoding) {
    case pages::Encoding::plain: return true;
    case pages::Encoding::dictionary: return physical != pages::Physical::boolean;
    case pages::Encoding::rle: return physical == pages::Physical::boolean;
    case pages::Encoding::delta:
      return physical == pages::Physical::int32 || physical == pages::Physical::int64;
    case pages::Encoding::delta_lengths: return physical == pages::Physical::byte_array;
    case pages::Encoding::delta_bytes:
      return physical == pages::Physical::byte_array || physical == pages::Physical::fixed_bytes;
    case pages::Encoding::byte_streams:
      return physical != pages::Physical::boolean && physical != pages::Physical::int96 &&
             physical != pages::Physical::byte_array;
  }
  return false;
}

// The most that a compressed byte can become, rounded up: a match of Snappy has 64 bytes in 3, one
// of LZ4 grows by 255 a byte, one of Deflate has 258 in 2 bits, a repeated block of Zstandard has
// 128 KiB in 4 bytes.
std::uint64_t max_bytes_per_byte(Compression compression) {
  switch (compression) {
    case Compression::none: return 1;
    case Compression::snappy: return 22;
    case Compression::lz4_raw: return 255;
    case Compression::gzip: return 1032;
    case Compression::zstandard: return 32768;
    case Compression::other: break;
  }
  return UINT32_MAX;
}

class PageFinder {
 public:
  PageFinder(ChunkPages& chunk, const ChunkShape& shape, PageFault& fault,
             const BytesOnDemand& read)
      : chunk_(chunk), shape_(shape), fault_(fault), read_(read) {}

  Status run() {
    while (values_ < chunk_.row_count) {
      fault_ = {static_cast<std::uint32_t>(chunk_.data.size()), shape_.file_offset + at_};
      if (at_ == chunk_.bytes.size())
        return corrupt_page("the column's pages end before its last row");
      PENSTOCK_ASSIGN(const PageHeader header, header_at(at_));
      PENSTOCK_TRY(take(header));
    }
    return {};
  }

 private:
  // If bytes are read on demand, reads more of them until they hold the header.
  Result<PageHeader> header_at(std::size_t at) {
    const std::size_t left = std::min(chunk_.bytes.size() - at, max_page_header_bytes + 1);
    if (!read_) return parse_page_header(chunk_.bytes.subspan(at));
    for (std::size_t bytes = first_header_bytes;; bytes *= 8) {
      bytes = std::min(bytes, left);
      header_.resize(std::max(header_.size(), bytes));
      PENSTOCK_TRY(read_(at, std::span(header_).first(bytes)));
      auto header = parse_page_header(std::span<const std::byte>(header_).first(bytes));
      if (header.ok() || bytes == left) return header;
    }
  }

  Status take(const PageHeader& header) {
    if (header.kind == PageHeader::Kind::dictionary) fault_.page = ~0u;
    const std::size_t left = chunk_.bytes.size() - at_ - header.header_bytes;
    if (header.stored_bytes > left)
      return corrupt_page("the page claims " + std::to_string(header.stored_bytes) +
                          " bytes, its column chunk has " + std::to_string(left) + " more");
    const std::size_t body = at_ + header.header_bytes;
    Page page;
    page.offset = body;
    page.header_offset = shape_.file_offset + at_;
    page.stored_bytes = header.stored_bytes;
    page.bytes = header.bytes;
    page.value_count = header.value_count;
    at_ = body + header.stored_bytes;
    switch (header.kind) {
      case PageHeader::Kind::data:
      case PageHeader::Kind::data_v2: return take_data(header, page);
      case PageHeader::Kind::dictionary: return take_dictionary(header, page);
      case PageHeader::Kind::index: break;
    }
    return {};
  }

  Status take_dictionary(const PageHeader& header, Page& page) {
    if (chunk_.dictionary) return corrupt_page("a second dictionary page");
    if (!chunk_.data.empty()) return corrupt_page("a dictionary page after data pages");
    if (shape_.physical == pages::Physical::boolean)
      return corrupt_page("a dictionary of booleans");
    if (header.encoding != 0 && header.encoding != 2)
      return corrupt_page("a dictionary page of encoding " + std::to_string(header.encoding));
    const std::uint32_t width = plain_width(shape_.physical, shape_.fixed_bytes);
    const std::uint64_t least = std::uint64_t{width == 0 ? 4 : width} * page.value_count;
    if (least > page.bytes)
      return corrupt_page("a dictionary of " + std::to_string(page.value_count) +
                          " entries in a page of " + std::to_string(page.bytes) + " bytes");
    PENSTOCK_TRY(check_body(header, page, true));
    if (read_ && shape_.physical == pages::Physical::byte_array)  // the host numbers strings
      PENSTOCK_TRY(read_body(page));
    chunk_.dictionary = page;
    return {};
  }

  Status take_data(const PageHeader& header, Page& page) {
    const std::uint32_t rows_left = chunk_.row_count - values_;
    if (page.value_count > rows_left)
      return corrupt_page("the page claims " + std::to_string(page.value_count) +
                          " values, its row group has " + std::to_string(rows_left) + " more rows");
    if (page.value_count == 0) return {};
    page.is_v2 = header.kind == PageHeader::Kind::data_v2;
    PENSTOCK_TRY(page.is_v2 ? take_v2_levels(header, page) : check_v1_levels(header));
    PENSTOCK_TRY(take_encoding(header, page));
    PENSTOCK_TRY(check_body(header, page,
                            !page.is_v2 || header.is_compressed || shape_.is_always_compressed));
    values_ += page.value_count;
    chunk_.data.push_back(page);
    return {};
  }

  Status take_encoding(const PageHeader& header, Page& page) {
    const auto encoding = encoding_of(header.encoding);
    if (!encoding)
      return {Code::unsupported, "a page of encoding " + std::to_string(header.encoding)};
    if (!can_encode(*encoding, shape_.physical))
      return corrupt_page("a page of encoding " + std::to_string(header.encoding) +
                          ", which is of other types than the column's");
    if (*encoding == pages::Encoding::dictionary && !chunk_.dictionary)
      return corrupt_page("a page of dictionary indices without a dictionary page before it");
    page.encoding = *encoding;
    return {};
  }

  Status check_v1_levels(const PageHeader& header) const {
    if (!shape_.is_optional || header.definition_encoding == 3) return {};
    if (header.definition_encoding == 4)
      return {Code::unsupported, "definition levels of encoding BIT_PACKED"};
    return corrupt_page("definition levels of encoding " +
                        std::to_string(header.definition_encoding));
  }

  Status take_v2_levels(const PageHeader& header, Page& page) const {
    if (header.repetition_bytes > 0) return corrupt_page("repetition levels of a flat column");
    if (header.definition_bytes > 0 && !shape_.is_optional)
      return corrupt_page("definition levels of a column without NULLs");
    page.level_bytes = header.definition_bytes;
    return {};
  }

  // Checks the sizes before and after decompression, and the checksum.
  Status check_body(const PageHeader& header, Page& page, bool is_compressed) const {
    const std::uint32_t stored = page.stored_bytes - page.level_bytes;
    const std::uint32_t bytes = page.bytes - page.level_bytes;
    page.is_compressed = is_compressed && chunk_.compression != Compression::none && stored > 0;
    const std::uint64_t most =
        page.is_compressed ? max_bytes_per_byte(chunk_.compression) * stored : stored;
    if (bytes > most || (!page.is_compressed && bytes != stored))
      return corrupt_page("the page claims that its " + std::to_string(stored) + " bytes are " +
                          std::to_string(bytes) + " decompressed");
    const auto body = chunk_.bytes.subspan(page.offset, page.stored_bytes);
    if (read_ && header.checksum) PENSTOCK_TRY(read_body(page));
    if (header.checksum && checksum::crc32(0, body) != *header.checksum)
      return corrupt_page("the page's bytes do not have its checksum");
    return {};
  }

  // Reads the body to its place in the chunk's memory, which belongs to the reader.
  Status read_body(const Page& page) const {
    std::byte* const to = const_cast<std::byte*>(chunk_.bytes.data()) + page.offset;
    return read_(page.offset, {to, page.stored_bytes});
  }

  ChunkPages& chunk_;
  const ChunkShape& shape_;
  PageFault& fault_;
  const BytesOnDemand& read_;
  std::vector<std::byte> header_;
  std::size_t at_ = 0;
  std::uint32_t values_ = 0;
};

}  // namespace

Status find_pages(pages::ChunkPages& chunk, const ChunkShape& shape, PageFault& fault,
                  const BytesOnDemand& read) {
  return PageFinder(chunk, shape, fault, read).run();
}

std::uint32_t plain_width(pages::Physical physical, std::uint32_t fixed_bytes) {
  switch (physical) {
    case pages::Physical::int32:
    case pages::Physical::float32: return 4;
    case pages::Physical::int64:
    case pages::Physical::float64: return 8;
    case pages::Physical::int96: return 12;
    case pages::Physical::fixed_bytes: return fixed_bytes;
    case pages::Physical::boolean:
    case pages::Physical::byte_array: break;
  }
  return 0;
}

}  // namespace penstock::io
