#include "codec/pages/paged_range.hpp"

#include <utility>

#include "base/published.hpp"

namespace penstock::pages {
namespace {

class PagedRange final : public PagedTable {
 public:
  PagedRange(std::shared_ptr<const PagedTable> table, std::uint32_t first, std::uint32_t end)
      : table_(std::move(table)),
        first_(first),
        end_(end),
        summaries_(std::make_unique<Published<ChunkSummary>[]>(table_->columns().size())) {
    const auto all = table_->first_rows();
    for (std::uint32_t group = first_; group <= end_; group++)
      first_rows_.push_back(all[group] - all[first_]);
  }

  const std::vector<PagedColumn>& columns() const override { return table_->columns(); }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::span<const StoredChunk> chunks(std::uint32_t column) const override {
    return table_->chunks(column).subspan(first_, end_ - first_);
  }
  ChunkSummary summary(std::uint32_t column) const override {
    return summaries_[column].get(
        [&] { return std::make_unique<ChunkSummary>(summarise(column)); });
  }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator& memory) const override {
    return table_->read(column, first_ + row_group, memory);
  }
  std::vector<std::vector<std::size_t>> neighbours(std::span<const std::uint32_t> columns,
                                                   std::uint32_t row_group) const override {
    return table_->neighbours(columns, first_ + row_group);
  }
  Result<std::vector<ChunkPages>> read_neighbours(std::span<const std::uint32_t> columns,
                                                  std::uint32_t row_group,
                                                  const BatchAllocator& memory) const override {
    return table_->read_neighbours(columns, first_ + row_group, memory);
  }
  std::string file_path() const override { return table_->file_path(); }
  std::string path_of_open_file() const override { return table_->path_of_open_file(); }
  std::optional<ChunkPlace> place_of(std::uint32_t column, std::uint32_t row_group) const override {
    return table_->place_of(column, first_ + row_group);
  }
  std::shared_ptr<const PagedTable> with_direct_reads(
      std::shared_ptr<const device::DirectFile> file) const override {
    auto direct = table_->with_direct_reads(std::move(file));
    return direct ? paged_range(std::move(direct), first_, end_) : nullptr;
  }
  Result<Column> dictionary_strings(std::uint32_t column, const ChunkPages& pages) const override {
    return table_->dictionary_strings(column, pages);
  }
  void found_null(std::uint32_t column) const override { table_->found_null(column); }
  std::string location_of(std::uint32_t column, const ChunkPages& pages,
                          std::uint32_t page) const override {
    return table_->location_of(column, pages, page);
  }

 private:
  // That of chunks which are all alike is that of any of them.
  ChunkSummary summarise(std::uint32_t column) const {
    ChunkSummary all = table_->summary(column);
    const bool are_alike =
        all.compressions.size() == 1 && !all.has_plain_strings && !all.refused && end_ > first_;
    return are_alike ? std::move(all) : summary_of(chunks(column));
  }

  const std::shared_ptr<const PagedTable> table_;
  const std::uint32_t first_, end_;
  std::vector<std::uint64_t> first_rows_;
  const std::unique_ptr<Published<ChunkSummary>[]> summaries_;  // by column, for one run
};

}  // namespace

std::shared_ptr<const PagedTable> paged_range(std::shared_ptr<const PagedTable> table,
                                              std::uint32_t first_group, std::uint32_t end_group) {
  return std::make_shared<const PagedRange>(std::move(table), first_group, end_group);
}

}  // namespace penstock::pages
