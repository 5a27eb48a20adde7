#include "codec/pages/selected_pages.hpp"

namespace penstock::pages {
namespace {

class SelectedPages final : public PagedTable {
 public:
  SelectedPages(std::shared_ptr<const PagedTable> table, std::span<const RowRange> ranges)
      : table_(std::move(table)) {
    const std::span<const std::uint64_t> rows = table_->first_rows();
    std::size_t range = 0;
    for (std::uint32_t group = 0; group + 1 < rows.size(); group++) {
      while (range < ranges.size() && ranges[range].end <= rows[group]) range++;
      if (range == ranges.size() || ranges[range].begin >= rows[group + 1]) continue;
      groups_.push_back(group);
      first_rows_.push_back(first_rows_.back() + rows[group + 1] - rows[group]);
    }
  }

  const std::vector<PagedColumn>& columns() const override { return table_->columns(); }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::string why_not(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->why_not(column, groups_[row_group]);
  }
  bool has_plain_strings(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->has_plain_strings(column, groups_[row_group]);
  }
  std::uint64_t stored_bytes(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->stored_bytes(column, groups_[row_group]);
  }
  std::uint64_t page_bytes(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->page_bytes(column, groups_[row_group]);
  }
  Compression compression(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->compression(column, groups_[row_group]);
  }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator& memory) const override {
    return table_->read(column, groups_[row_group], memory);
  }
  std::vector<std::vector<std::size_t>> neighbours(std::span<const std::uint32_t> columns,
                                                   std::uint32_t row_group) const override {
    return table_->neighbours(columns, groups_[row_group]);
  }
  Result<std::vector<ChunkPages>> read_neighbours(std::span<const std::uint32_t> columns,
                                                  std::uint32_t row_group,
                                                  const BatchAllocator& memory) const override {
    return table_->read_neighbours(columns, groups_[row_group], memory);
  }
  std::string file_path() const override { return table_->file_path(); }
  std::optional<ChunkPlace> place_of(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->place_of(column, groups_[row_group]);
  }
  std::shared_ptr<const PagedTable> with_direct_reads(
      std::shared_ptr<const device::DirectFile> file) const override {
    auto table = table_->with_direct_reads(std::move(file));
    if (!table) return nullptr;
    auto selected = std::make_shared<SelectedPages>(*this);
    selected->table_ = std::move(table);
    return selected;
  }
  Result<Column> dictionary_strings(std::uint32_t column, const ChunkPages& pages) const override {
    return table_->dictionary_strings(column, pages);
  }
  std::string location_of(std::uint32_t column, const ChunkPages& pages,
                          std::uint32_t page) const override {
    return table_->location_of(column, pages, page);
  }

 private:
  std::shared_ptr<const PagedTable> table_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint64_t> first_rows_ = {0};
};

}  // namespace

std::shared_ptr<const PagedTable> selected_pages(std::shared_ptr<const PagedTable> table,
                                                 std::span<const RowRange> ranges) {
  return std::make_shared<SelectedPages>(std::move(table), ranges);
}

}  // namespace penstock::pages
