// A source that tells when its chunks of pages are read.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "codec/pages/paged_table.hpp"

namespace penstock::test {

// Calls a function before each chunk that is read.
class WatchedPages final : public pages::PagedTable {
 public:
  WatchedPages(std::shared_ptr<const PagedTable> table, std::function<void()> on_read)
      : table_(std::move(table)), on_read_(std::move(on_read)) {}
  const std::vector<pages::PagedColumn>& columns() const override { return table_->columns(); }
  std::span<const std::uint64_t> first_rows() const override { return table_->first_rows(); }
  std::span<const pages::StoredChunk> chunks(std::uint32_t column) const override {
    return table_->chunks(column);
  }
  Result<pages::ChunkPages> read(std::uint32_t column, std::uint32_t group,
                                 const BatchAllocator& memory) const override {
    on_read_();
    return table_->read(column, group, memory);
  }
  Result<Column> dictionary_strings(std::uint32_t column,
                                    const pages::ChunkPages& chunk) const override {
    return table_->dictionary_strings(column, chunk);
  }
  std::string location_of(std::uint32_t column, const pages::ChunkPages& chunk,
                          std::uint32_t page) const override {
    return table_->location_of(column, chunk, page);
  }

 private:
  std::shared_ptr<const PagedTable> table_;
  std::function<void()> on_read_;
};

class WatchedSource final : public TableSource {
 public:
  WatchedSource(std::shared_ptr<TableSource> source, std::function<void()> on_read)
      : source_(std::move(source)),
        pages_(std::make_shared<WatchedPages>(source_->pages(), std::move(on_read))) {}
  const Schema& schema() const override { return source_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return source_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return source_->scan(columns, options);
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  std::string describe() const override { return source_->describe(); }

 private:
  std::shared_ptr<TableSource> source_;
  std::shared_ptr<const pages::PagedTable> pages_;
};

}  // namespace penstock::test
