#include "io/parquet/paged_file.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/parallel.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/batch_memory.hpp"
#include "io/parquet/chunk_pages.hpp"
#include "io/parquet/dictionary_page.hpp"
#include "io/parquet/paged_chunks.hpp"
#include "io/parquet/parquet_pages.hpp"

namespace penstock::io {
namespace {

using pages::ChunkPages;

// Readers may load whole words beyond the last page.
constexpr std::uint64_t slack_bytes = 64;
// A thread copies about so much from the page cache while another one starts.
constexpr std::uint64_t min_read_bytes = 4 << 20;

class PagedFile final : public pages::PagedTable {
 public:
  explicit PagedFile(std::shared_ptr<const ParquetFile> file)
      : file_(std::move(file)), chunks_(file_->columns().size()) {
    for (const ParquetColumn& column : file_->columns())
      columns_.push_back(paged_column(*file_, column));
  }

  const std::vector<pages::PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return file_->first_rows(); }
  std::string why_not(std::uint32_t column, std::uint32_t row_group) const override {
    return columns_[column].why_not.empty() ? chunk(column, row_group).why_not
                                            : columns_[column].why_not;
  }
  bool has_plain_strings(std::uint32_t column, std::uint32_t row_group) const override {
    return chunk(column, row_group).has_plain_strings;
  }
  std::uint64_t stored_bytes(std::uint32_t column, std::uint32_t row_group) const override {
    return chunk(column, row_group).stored_bytes;
  }
  std::uint64_t page_bytes(std::uint32_t column, std::uint32_t row_group) const override {
    return chunk(column, row_group).page_bytes;
  }
  pages::Compression compression(std::uint32_t column, std::uint32_t row_group) const override {
    return chunk(column, row_group).compression;
  }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator& memory) const override;
  Result<Column> dictionary_strings(std::uint32_t column, const ChunkPages& pages) const override;
  std::string location_of(std::uint32_t column, const ChunkPages& pages,
                          std::uint32_t page) const override;

 private:
  struct ColumnChunks {
    std::once_flag looked_at;
    std::vector<FooterChunk> chunks;
  };
  const FooterChunk& chunk(std::uint32_t column, std::uint32_t row_group) const;
  std::string location(std::uint32_t column, std::uint32_t row_group, std::uint32_t page,
                       std::uint64_t byte) const;
  Result<ChunkPages> read_chunk(std::uint32_t column, std::uint32_t row_group,
                                const BatchAllocator& memory) const;
  Status read_part(std::int64_t offset, std::uint64_t first, std::uint64_t last,
                   std::byte* out) const;
  Status read_bytes(arrow::io::ReadRange range, const BatchAllocator& memory,
                    ChunkPages& chunk) const;

  std::shared_ptr<const ParquetFile> file_;
  std::vector<pages::PagedColumn> columns_;
  mutable std::vector<ColumnChunks> chunks_;  // looked at when first asked for
  const std::shared_ptr<BatchMemory> ordinary_ = std::make_shared<BatchMemory>(0, BatchAllocator());
};

// A footer that Parquet refuses only now makes chunks that cannot be read as pages.
const FooterChunk& PagedFile::chunk(std::uint32_t column, std::uint32_t row_group) const {
  ColumnChunks& of = chunks_[column];
  std::call_once(of.looked_at, [&] {
    const Status status = catch_arrow_exceptions([&]() -> Status {
      of.chunks = footer_chunks(*file_, file_->columns()[column]);
      return {};
    });
    if (status.ok() && !of.chunks.empty()) return;
    FooterChunk none;
    none.why_not = "its footer cannot be read";
    of.chunks.assign(static_cast<std::size_t>(file_->row_group_count()), none);
  });
  return of.chunks[row_group];
}

Result<ChunkPages> PagedFile::read(std::uint32_t column, std::uint32_t row_group,
                                   const BatchAllocator& memory) const {
  return catch_arrow_exceptions([&] { return read_chunk(column, row_group, memory); });
}

Result<ChunkPages> PagedFile::read_chunk(std::uint32_t column, std::uint32_t row_group,
                                         const BatchAllocator& memory) const {
  const auto where = [&] {
    return "in column '" + file_->columns()[column].field.name + "', row group " +
           std::to_string(row_group) + " of '" + file_->path() + "'";
  };
  if (const std::string why = why_not(column, row_group); !why.empty())
    return Status(Code::unsupported, "pages are not read: " + why).with(where());
  const std::uint64_t rows = file_->first_rows()[row_group + 1] - file_->first_rows()[row_group];
  ChunkPages chunk;
  chunk.row_group = row_group;
  chunk.row_count = static_cast<std::uint32_t>(rows);
  chunk.compression = compression(column, row_group);
  if (rows == 0) return chunk;
  const auto footer = file_->metadata()
                          .RowGroup(static_cast<int>(row_group))
                          ->ColumnChunk(file_->columns()[column].leaf);
  if (footer->num_values() < 0 || static_cast<std::uint64_t>(footer->num_values()) != rows)
    return Status(Code::corrupt, "the column chunk claims " + std::to_string(footer->num_values()) +
                                     " values for " + std::to_string(rows) + " rows")
        .with(where());
  const arrow::io::ReadRange range = padded_range(*file_, *footer);
  PENSTOCK_TRY(read_bytes(range, memory, chunk).with(where()));
  const pages::PagedColumn& paged = columns_[column];
  const ChunkShape shape{paged.physical, paged.fixed_bytes, paged.is_optional,
                         always_compresses(file_->writer()),
                         static_cast<std::uint64_t>(range.offset)};
  PageFault fault;
  if (const Status status = find_pages(chunk, shape, fault); !status.ok())
    return status.with("in " + location(column, row_group, fault.page, fault.file_offset));
  return chunk;
}

// Reads bytes [first, last) of the chunk at `offset`.
Status PagedFile::read_part(std::int64_t offset, std::uint64_t first, std::uint64_t last,
                            std::byte* out) const {
  const auto bytes = static_cast<std::int64_t>(last - first);
  PENSTOCK_ASSIGN(const std::int64_t read,
                  from_arrow(file_->input().ReadAt(offset + static_cast<std::int64_t>(first), bytes,
                                                   out + first)));
  if (read == bytes) return {};
  return {Code::truncated, "the file ends before the column chunk does"};
}

Status PagedFile::read_bytes(arrow::io::ReadRange range, const BatchAllocator& memory,
                             ChunkPages& chunk) const {
  const auto bytes = static_cast<std::uint64_t>(range.length);
  if (memory) chunk.memory = memory(bytes + slack_bytes);
  if (!chunk.memory) chunk.memory = ordinary_->take(bytes + slack_bytes);
  std::byte* const out = chunk.memory.get();
  std::mutex mutex;
  Status failed;
  in_parallel(bytes, min_read_bytes, [&](std::uint64_t first, std::uint64_t last) {
    const Status status = read_part(range.offset, first, last, out);
    const std::lock_guard lock(mutex);
    if (failed.ok()) failed = status;
  });
  PENSTOCK_TRY(failed);
  std::memset(out + bytes, 0, slack_bytes);
  chunk.bytes = {out, bytes};
  return {};
}

std::string PagedFile::location(std::uint32_t column, std::uint32_t row_group, std::uint32_t page,
                                std::uint64_t byte) const {
  return "column '" + file_->columns()[column].field.name + "', row group " +
         std::to_string(row_group) + ", " +
         (page == ~0u ? std::string("dictionary page") : "page " + std::to_string(page)) +
         ", byte " + std::to_string(byte) + " of '" + file_->path() + "'";
}

std::string PagedFile::location_of(std::uint32_t column, const ChunkPages& pages,
                                   std::uint32_t page) const {
  std::uint64_t byte = 0;
  if (page < pages.data.size())
    byte = pages.data[page].header_offset;
  else if (pages.dictionary)
    byte = pages.dictionary->header_offset;
  return location(column, pages.row_group, page, byte);
}

Result<Column> PagedFile::dictionary_strings(std::uint32_t column, const ChunkPages& pages) const {
  return catch_arrow_exceptions([&]() -> Result<Column> {
    if (!pages.dictionary) return Column::from_strings(std::vector<std::string>());
    auto strings = decode_dictionary(pages);
    if (!strings.ok()) return strings.with("in " + location_of(column, pages, ~0u));
    return strings;
  });
}

}  // namespace

std::shared_ptr<const pages::PagedTable> paged_table(std::shared_ptr<const ParquetFile> file) {
  return std::make_shared<PagedFile>(std::move(file));
}

}  // namespace penstock::io
