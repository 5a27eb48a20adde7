#include "io/parquet/paged_file.hpp"

#include <algorithm>
#include <mutex>

#include "io/common/arrow_errors.hpp"
#include "io/parquet/chunk_bytes.hpp"
#include "io/parquet/chunk_claims.hpp"
#include "io/parquet/chunk_pages.hpp"
#include "io/parquet/dictionary_page.hpp"
#include "io/parquet/direct_chunks.hpp"
#include "io/parquet/paged_chunks.hpp"
#include "io/parquet/parquet_pages.hpp"

namespace penstock::io {
namespace {

using pages::ChunkPages;

// Neighbouring chunks are read at once, with gaps between them, up to these sizes: 16 threads read
// 300 KB at a time at 10 GB/s, and 4 MB at a time at 24 GB/s.
constexpr std::int64_t max_gap_bytes = 128 << 10, max_part_bytes = 4 << 20;

class PagedFile final : public pages::PagedTable {
 public:
  explicit PagedFile(std::shared_ptr<const ParquetFile> file,
                     std::shared_ptr<const DirectChunks> direct = nullptr)
      : file_(std::move(file)), direct_(std::move(direct)), chunks_(file_->columns().size()) {
    for (const ParquetColumn& column : file_->columns())
      columns_.push_back(paged_column(*file_, column));
  }

  const std::vector<pages::PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return file_->first_rows(); }
  std::span<const pages::StoredChunk> chunks(std::uint32_t column) const override;
  pages::ChunkSummary summary(std::uint32_t column) const override {
    static_cast<void>(chunks(column));
    return chunks_[column].summary;
  }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator& memory) const override;
  std::vector<std::vector<std::size_t>> neighbours(std::span<const std::uint32_t> columns,
                                                   std::uint32_t row_group) const override;
  Result<std::vector<ChunkPages>> read_neighbours(std::span<const std::uint32_t> columns,
                                                  std::uint32_t row_group,
                                                  const BatchAllocator& memory) const override;
  std::string file_path() const override { return file_->path(); }
  std::string path_of_open_file() const override { return file_->path_of_open_file(); }
  std::optional<pages::ChunkPlace> place_of(std::uint32_t column,
                                            std::uint32_t row_group) const override;
  std::shared_ptr<const PagedTable> with_direct_reads(
      std::shared_ptr<const device::DirectFile> file) const override {
    return std::make_shared<PagedFile>(
        file_, std::make_shared<DirectChunks>(file_->path_of_open_file(), std::move(file)));
  }
  Result<Column> dictionary_strings(std::uint32_t column, const ChunkPages& pages) const override;
  void found_null(std::uint32_t) const override { file_->found_null(); }
  std::string location_of(std::uint32_t column, const ChunkPages& pages,
                          std::uint32_t page) const override;

 private:
  struct ColumnChunks {
    std::once_flag looked_at;
    std::vector<pages::StoredChunk> chunks;
    pages::ChunkSummary summary;
  };
  std::string location(std::uint32_t column, std::uint32_t row_group, std::uint32_t page,
                       std::uint64_t byte) const;
  struct Found {
    ChunkPages chunk;
    arrow::io::ReadRange range{0, 0};
  };
  std::vector<std::vector<std::size_t>> parts_of(std::span<const std::uint32_t> columns,
                                                 std::uint32_t row_group) const;
  Status at(std::uint32_t column, std::uint32_t row_group, const Status& status) const;
  Result<Found> find_chunk(std::uint32_t column, std::uint32_t row_group) const;
  Result<std::vector<ChunkPages>> read_chunks(std::span<const std::uint32_t> columns,
                                              std::uint32_t row_group,
                                              const BatchAllocator& memory) const;
  Status take_pages(std::uint32_t column, Found& found, const ChunkBytes& read,
                    std::int64_t begin) const;

  std::shared_ptr<const ParquetFile> file_;
  std::shared_ptr<const DirectChunks> direct_;  // null: chunks are read whole
  std::vector<pages::PagedColumn> columns_;
  mutable std::vector<ColumnChunks> chunks_;  // looked at when first asked for
};

// A footer that Parquet refuses only now makes chunks that cannot be read as pages.
std::span<const pages::StoredChunk> PagedFile::chunks(std::uint32_t column) const {
  ColumnChunks& of = chunks_[column];
  std::call_once(of.looked_at, [&] {
    const Status status = catch_arrow_exceptions([&]() -> Status {
      of.chunks = footer_chunks(*file_, file_->columns()[column]);
      return {};
    });
    if (!status.ok() || of.chunks.empty()) {
      pages::StoredChunk none;
      none.why_not = "its footer cannot be read";
      of.chunks.assign(static_cast<std::size_t>(file_->row_group_count()), none);
    }
    of.summary = pages::summary_of(of.chunks);
  });
  return of.chunks;
}

Result<ChunkPages> PagedFile::read(std::uint32_t column, std::uint32_t row_group,
                                   const BatchAllocator& memory) const {
  PENSTOCK_ASSIGN(std::vector<ChunkPages> chunks,
                  read_neighbours(std::span(&column, 1), row_group, memory));
  return std::move(chunks[0]);
}

Result<std::vector<ChunkPages>> PagedFile::read_neighbours(std::span<const std::uint32_t> columns,
                                                           std::uint32_t row_group,
                                                           const BatchAllocator& memory) const {
  return catch_arrow_exceptions([&] { return read_chunks(columns, row_group, memory); });
}

// Errors of the footer are left to reading, which returns them.
std::vector<std::vector<std::size_t>> PagedFile::neighbours(std::span<const std::uint32_t> columns,
                                                            std::uint32_t row_group) const {
  std::vector<std::vector<std::size_t>> parts;
  const Status status = catch_arrow_exceptions([&]() -> Status {
    parts = parts_of(columns, row_group);
    return {};
  });
  return status.ok() ? parts : PagedTable::neighbours(columns, row_group);
}

std::vector<std::vector<std::size_t>> PagedFile::parts_of(std::span<const std::uint32_t> columns,
                                                          std::uint32_t row_group) const {
  const auto group = file_->metadata().RowGroup(static_cast<int>(row_group));
  std::vector<std::pair<arrow::io::ReadRange, std::size_t>> ranges;
  for (std::size_t i = 0; i < columns.size(); i++)
    ranges.emplace_back(
        padded_range(*file_, *group->ColumnChunk(file_->columns()[columns[i]].leaf)), i);
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first.offset < b.first.offset; });
  std::vector<std::vector<std::size_t>> parts;
  std::int64_t begin = 0, end = 0;  // of the last part
  for (const auto& [range, index] : ranges) {
    const std::int64_t range_end = range.offset + range.length;
    if (parts.empty() || range.offset - end > max_gap_bytes || range_end - begin > max_part_bytes) {
      parts.emplace_back();
      begin = range.offset;
    }
    parts.back().push_back(index);
    end = std::max(end, range_end);
  }
  return parts;
}

Status PagedFile::at(std::uint32_t column, std::uint32_t row_group, const Status& status) const {
  return status.with("in column '" + file_->columns()[column].field.name + "', row group " +
                     std::to_string(row_group) + " of '" + file_->path() + "'");
}

std::optional<pages::ChunkPlace> PagedFile::place_of(std::uint32_t column,
                                                     std::uint32_t row_group) const {
  std::optional<pages::ChunkPlace> place;
  (void)catch_arrow_exceptions([&]() -> Status {
    const auto range = padded_range(*file_, *file_->metadata()
                                                 .RowGroup(static_cast<int>(row_group))
                                                 ->ColumnChunk(file_->columns()[column].leaf));
    place = {static_cast<std::uint64_t>(range.offset), static_cast<std::uint64_t>(range.length)};
    return {};
  }).ok();
  return place;
}

// Returns the chunk without its bytes, and where these are.
Result<PagedFile::Found> PagedFile::find_chunk(std::uint32_t column,
                                               std::uint32_t row_group) const {
  if (const std::string why = why_not(column, row_group); !why.empty())
    return Status(Code::unsupported, "pages are not read: " + why);
  const std::uint64_t rows = file_->first_rows()[row_group + 1] - file_->first_rows()[row_group];
  Found found;
  found.chunk.row_group = row_group;
  found.chunk.row_count = static_cast<std::uint32_t>(rows);
  found.chunk.compression = chunks(column)[row_group].compression;
  if (rows == 0) return found;
  const int leaf = file_->columns()[column].leaf;
  const auto group = file_->metadata().RowGroup(static_cast<int>(row_group));
  const auto footer = group->ColumnChunk(leaf);
  PENSTOCK_TRY(check_chunk(*file_, *group, *footer, leaf));
  found.range = padded_range(*file_, *footer);
  return found;
}

Result<std::vector<ChunkPages>> PagedFile::read_chunks(std::span<const std::uint32_t> columns,
                                                       std::uint32_t row_group,
                                                       const BatchAllocator& memory) const {
  std::vector<Found> found;
  std::int64_t begin = file_->bytes(), end = 0;
  for (const std::uint32_t column : columns) {
    auto chunk = find_chunk(column, row_group);
    if (!chunk.ok()) return at(column, row_group, chunk.status());
    found.push_back(std::move(chunk).value());
    if (found.back().chunk.row_count == 0) continue;
    begin = std::min(begin, found.back().range.offset);
    end = std::max(end, found.back().range.offset + found.back().range.length);
  }
  std::vector<ChunkPages> chunks;
  if (begin < end) {
    if (direct_) widen_to_blocks(begin, end, file_->bytes());
    const arrow::io::ReadRange range{begin, end - begin};
    const auto read = direct_ ? bytes_on_demand(range) : read_bytes(*file_, range, memory);
    if (!read.ok()) return at(columns[0], row_group, read.status());
    for (std::size_t i = 0; i < found.size(); i++)
      PENSTOCK_TRY(take_pages(columns[i], found[i], *read, begin));
  }
  for (Found& chunk : found) chunks.push_back(std::move(chunk.chunk));
  return chunks;
}

// Sets a chunk's bytes, which are among those read from `begin` of the file on, and its pages.
Status PagedFile::take_pages(std::uint32_t column, Found& found, const ChunkBytes& read,
                             std::int64_t begin) const {
  ChunkPages& chunk = found.chunk;
  if (chunk.row_count == 0) return {};
  chunk.memory = read.memory;
  chunk.read_bytes = {read.memory.get(), read.size};
  chunk.bytes = chunk.read_bytes.subspan(static_cast<std::size_t>(found.range.offset - begin),
                                         static_cast<std::size_t>(found.range.length));
  const pages::PagedColumn& paged = columns_[column];
  const ChunkShape shape{paged.physical, paged.fixed_bytes, paged.is_optional,
                         always_compresses(file_->writer()),
                         static_cast<std::uint64_t>(found.range.offset)};
  BytesOnDemand on_demand;
  if (direct_) {
    chunk.file = direct_->file();
    chunk.file_offset = static_cast<std::uint64_t>(begin);
    on_demand = [&](std::size_t at, std::span<std::byte> to) {
      chunk.host_bytes += to.size();
      return direct_->read(shape.file_offset + at, to.size(), to.data());
    };
  }
  PageFault fault;
  const Status status = find_pages(chunk, shape, fault, on_demand);
  if (status.ok()) return {};
  return status.with("in " + location(column, chunk.row_group, fault.page, fault.file_offset));
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
