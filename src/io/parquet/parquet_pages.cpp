#include "io/parquet/parquet_pages.hpp"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/config.h>
#include <parquet/column_page.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cstring>

#include "codec/snappy/snappy_decode.hpp"
#include "io/parquet/chunk_claims.hpp"
#include "io/parquet/parquet_page_index.hpp"

namespace penstock::io {
namespace {

[[noreturn]] void refuse(const char* why) { throw parquet::ParquetException(why); }

class HeldBuffer final : public arrow::Buffer {
 public:
  HeldBuffer(std::shared_ptr<std::byte> held, std::int64_t bytes)
      : arrow::Buffer(reinterpret_cast<const std::uint8_t*>(held.get()), bytes),
        held_(std::move(held)) {}

 private:
  std::shared_ptr<std::byte> held_;
};

// Takes pages as they are in the file, from a reader that believes them uncompressed.
class SnappyPages final : public parquet::PageReader {
 public:
  SnappyPages(std::unique_ptr<parquet::PageReader> compressed, std::shared_ptr<BatchMemory> memory)
      : compressed_(std::move(compressed)), memory_(std::move(memory)) {}

  void set_max_page_header_size(std::uint32_t size) override {
    compressed_->set_max_page_header_size(size);
  }

  std::shared_ptr<parquet::Page> NextPage() override {
    std::shared_ptr<parquet::Page> page = compressed_->NextPage();
    if (!page) return page;
    switch (page->type()) {
      case parquet::PageType::DICTIONARY_PAGE:
        return decompressed(static_cast<const parquet::DictionaryPage&>(*page));
      case parquet::PageType::DATA_PAGE:
        return decompressed(static_cast<const parquet::DataPageV1&>(*page));
      case parquet::PageType::DATA_PAGE_V2:
        return decompressed(static_cast<const parquet::DataPageV2&>(*page), page);
      default: return page;
    }
  }

 private:
  std::shared_ptr<parquet::Page> decompressed(const parquet::DictionaryPage& page) {
    return std::make_shared<parquet::DictionaryPage>(decompress(page, 0), page.num_values(),
                                                     page.encoding(), page.is_sorted());
  }

  std::shared_ptr<parquet::Page> decompressed(const parquet::DataPageV1& page) {
    auto buffer = decompress(page, 0);
    if (buffer->size() != page.uncompressed_size())
      refuse("a page's header and its Snappy bytes differ in length");
    return std::make_shared<parquet::DataPageV1>(
        std::move(buffer), page.num_values(), page.encoding(), page.definition_level_encoding(),
        page.repetition_level_encoding(), page.uncompressed_size());
  }

  // The levels come first and are not compressed.
  std::shared_ptr<parquet::Page> decompressed(const parquet::DataPageV2& page,
                                              const std::shared_ptr<parquet::Page>& same) {
    if (!page.is_compressed()) return same;
    const std::int64_t levels =
        std::int64_t{page.definition_levels_byte_length()} + page.repetition_levels_byte_length();
    if (page.definition_levels_byte_length() < 0 || page.repetition_levels_byte_length() < 0 ||
        levels > page.size())
      refuse("a page's levels are longer than the page");
    if (levels == page.size() && levels == page.uncompressed_size())
      return same;  // no value is present
    auto buffer = decompress(page, levels);
    if (buffer->size() != page.uncompressed_size())
      refuse("a page's header and its Snappy bytes differ in length");
    return std::make_shared<parquet::DataPageV2>(
        std::move(buffer), page.num_values(), page.num_nulls(), page.num_rows(), page.encoding(),
        page.definition_levels_byte_length(), page.repetition_levels_byte_length(),
        page.uncompressed_size());
  }

  // Copies the first `plain` bytes and decompresses the others.
  std::shared_ptr<arrow::Buffer> decompress(const parquet::Page& page, std::int64_t plain) {
    const std::span compressed(page.data() + plain, static_cast<std::size_t>(page.size() - plain));
    const auto length = snappy_length(compressed);
    if (!length || *length > INT32_MAX - static_cast<std::uint64_t>(plain))
      refuse("a page's Snappy bytes are damaged");
    const std::uint64_t bytes = static_cast<std::uint64_t>(plain) + *length;
    auto memory = memory_->take(bytes);
    auto* const out = reinterpret_cast<std::uint8_t*>(memory.get());
    if (plain > 0) std::memcpy(out, page.data(), static_cast<std::size_t>(plain));
    if (!snappy_decompress(compressed, out + plain, *length))
      refuse("a page's Snappy bytes are damaged");
    return std::make_shared<HeldBuffer>(std::move(memory), static_cast<std::int64_t>(bytes));
  }

  std::unique_ptr<parquet::PageReader> compressed_;
  std::shared_ptr<BatchMemory> memory_;
};

arrow::io::ReadRange range_within(const ParquetFile& file,
                                  const parquet::ColumnChunkMetaData& chunk) {
  const auto range = range_of(file, chunk);
  if (!range) refuse("a column chunk lies outside the file");
  return *range;
}

std::shared_ptr<arrow::Buffer> read_range(const ParquetFile& file, arrow::io::ReadRange range,
                                          BatchMemory& memory) {
  auto held = memory.take(static_cast<std::uint64_t>(range.length));
  std::int64_t read = 0;
  PARQUET_ASSIGN_OR_THROW(read, file.input().ReadAt(range.offset, range.length, held.get()));
  if (read != range.length) refuse("the file ends before the column chunk does");
  return std::make_shared<HeldBuffer>(std::move(held), read);
}

// Some old writers leave the dictionary page's header out of the chunk's length.
bool shortens_chunks(const parquet::ApplicationVersion& writer) {
  return writer.VersionLt(parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION());
}

std::unique_ptr<parquet::PageReader> pages_as_they_are(
    std::shared_ptr<arrow::Buffer> bytes, std::int64_t value_count,
    const parquet::ReaderProperties& properties,
    [[maybe_unused]] const parquet::ColumnDescriptor& column) {
  auto input = std::make_shared<arrow::io::BufferReader>(std::move(bytes));
#if ARROW_VERSION_MAJOR >= 25
  return parquet::PageReader::Open(std::move(input), value_count,
                                   parquet::Compression::UNCOMPRESSED, properties, column);
#else
  return parquet::PageReader::Open(std::move(input), value_count,
                                   parquet::Compression::UNCOMPRESSED, properties);
#endif
}

// Leaves out pages by their place among the chunk's data pages. The offset index says which rows
// each has; a header that says otherwise is an error, as it would shift every later row.
class PageFilter {
 public:
  PageFilter(PageStarts starts, std::vector<bool> is_read)
      : starts_(std::move(starts)), is_read_(std::move(is_read)) {}

  // Returns whether to leave the next page out.
  bool operator()(const parquet::DataPageStats& page) {
    const std::size_t at = next_++;
    if (at >= is_read_.size() || page.num_values < 0 ||
        static_cast<std::uint64_t>(page.num_values) != starts_[at + 1] - starts_[at])
      refuse("the offset index and the pages' headers differ in their rows");
    return !is_read_[at];
  }

 private:
  PageStarts starts_;
  std::vector<bool> is_read_;
  std::size_t next_ = 0;
};

// Arrow's readers of columns take a page without values for the last one.
bool is_empty(const parquet::DataPageStats& page) { return page.num_values == 0; }

// Returns the rows of all pages that are read.
RowRanges leave_pages_out(parquet::PageReader& reader, const ParquetFile& file, int row_group,
                          int leaf, const RowRanges& rows) {
  const std::uint64_t begin = file.first_rows()[static_cast<std::size_t>(row_group)];
  const RowRanges all{{0, file.first_rows()[static_cast<std::size_t>(row_group) + 1] - begin}};
  auto starts = rows == all ? std::nullopt : page_starts(file, row_group, leaf);
  if (!starts) {
    reader.set_data_page_filter(is_empty);
    return all;
  }
  std::vector<bool> is_read;
  RowRanges pages;
  for (std::size_t i = 0; i + 1 < starts->size(); i++) {
    const RowRange page{(*starts)[i], (*starts)[i + 1]};
    is_read.push_back(rows_within(rows, page) > 0);
    if (is_read.back()) add_range(pages, page);
  }
  reader.set_data_page_filter(PageFilter(std::move(*starts), std::move(is_read)));
  return pages;
}

}  // namespace

arrow::io::ReadRange padded_range(const ParquetFile& file,
                                  const parquet::ColumnChunkMetaData& chunk) {
  constexpr std::int64_t longest_header = 100;
  arrow::io::ReadRange range = range_within(file, chunk);
  if (shortens_chunks(file.writer()))
    range.length += std::min(longest_header, file.bytes() - range.offset - range.length);
  return range;
}

bool always_compresses(const parquet::ApplicationVersion& writer) {
  return writer.VersionLt(parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION());
}

Pages open_pages(const ParquetFile& file, int row_group, int leaf, const RowRanges& rows,
                 const std::shared_ptr<BatchMemory>& memory) {
  const auto group = file.row_group(row_group);
  const auto chunk = group->metadata()->ColumnChunk(leaf);
  if (chunk->compression() != parquet::Compression::SNAPPY || chunk->crypto_metadata() ||
      shortens_chunks(file.writer()) || always_compresses(file.writer())) {
    Pages pages{group->GetColumnPageReader(leaf), false, {}};
    pages.rows = leave_pages_out(*pages.reader, file, row_group, leaf, rows);
    return pages;
  }
  auto bytes = read_range(file, range_within(file, *chunk), *memory);
  auto pages = pages_as_they_are(std::move(bytes), chunk->num_values(), file.properties(),
                                 *group->metadata()->schema()->Column(leaf));
  RowRanges read = leave_pages_out(*pages, file, row_group, leaf, rows);
  return {std::make_unique<SnappyPages>(std::move(pages), memory), true, std::move(read)};
}

}  // namespace penstock::io
