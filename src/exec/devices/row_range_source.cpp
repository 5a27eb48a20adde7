#include "exec/devices/row_range_source.hpp"

#include <algorithm>

#include "codec/pages/paged_range.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::plan {
namespace {

// Cuts a range out of a stream of all rows.
class RangeStream final : public BatchStream {
 public:
  RangeStream(std::unique_ptr<BatchStream> all, RowRange rows)
      : all_(std::move(all)), rows_(rows) {}

  Result<std::optional<Table>> next() override {
    while (at_ < rows_.end) {
      PENSTOCK_ASSIGN(std::optional<Table> batch, all_->next());
      if (!batch) break;
      const RowRange held{at_, at_ + batch->row_count};
      at_ = held.end;
      const std::uint64_t begin = std::max(held.begin, rows_.begin);
      const std::uint64_t end = std::min(held.end, rows_.end);
      if (begin >= end) continue;
      if (end - begin == batch->row_count) return batch;
      for (Column& column : batch->columns) column = column.slice(begin - held.begin, end - begin);
      batch->row_count = end - begin;
      return batch;
    }
    return std::optional<Table>();
  }

 private:
  std::unique_ptr<BatchStream> all_;
  RowRange rows_;
  std::uint64_t at_ = 0;
};

class RowRangeSource final : public TableSource {
 public:
  RowRangeSource(std::shared_ptr<TableSource> source, RowRange rows)
      : source_(std::move(source)), rows_(rows) {
    const auto all = source_->pages();
    if (!all) return;
    const auto firsts = all->first_rows();
    const auto group_of = [&](std::uint64_t row) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(firsts, row) - firsts.begin());
    };
    pages_ = pages::paged_range(all, group_of(rows_.begin), group_of(rows_.end));
  }

  const Schema& schema() const override { return source_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return rows_.end - rows_.begin; }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  std::string describe() const override { return source_->describe(); }
  // A session keeps a share's columns under this name: their chunks and rows are counted from the
  // share's first row.
  std::string identity() const override {
    const std::string all = source_->identity();
    if (all.empty() || rows_ == RowRange{0, source_->row_count().value_or(0)}) return all;
    return all + DeviceCache::end_of_file_identity + "rows " + std::to_string(rows_.begin) +
           " to " + std::to_string(rows_.end);
  }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_ASSIGN(std::optional<RowSelection> all, source_->select_rows(RowCondition()));
    ScanOptions of_range = options;
    if (!all) {
      of_range.rows.reset();
      PENSTOCK_ASSIGN(auto stream, source_->scan(columns, of_range));
      return std::unique_ptr<BatchStream>(std::make_unique<RangeStream>(std::move(stream), rows_));
    }
    all->ranges = options.rows ? options.rows->ranges : std::vector<RowRange>{{0, *row_count()}};
    std::uint64_t kept = 0;
    for (RowRange& range : all->ranges) {
      kept += range.end - range.begin;
      range = {range.begin + rows_.begin, range.end + rows_.begin};
    }
    all->counts.rows_skipped = all->counts.rows - kept;
    of_range.rows = std::make_shared<const RowSelection>(std::move(*all));
    return source_->scan(columns, of_range);
  }

  // Rows that the records of the whole source left out are counted with its first rows.
  Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const override {
    PENSTOCK_ASSIGN(std::optional<RowSelection> selection, source_->select_rows(needed));
    if (!selection) return selection;
    std::vector<RowRange> here;
    std::uint64_t kept = 0;
    for (const RowRange& range : selection->ranges) {
      const std::uint64_t begin = std::max(range.begin, rows_.begin);
      const std::uint64_t end = std::min(range.end, rows_.end);
      if (begin >= end) continue;
      here.push_back({begin - rows_.begin, end - rows_.begin});
      kept += end - begin;
    }
    selection->ranges = std::move(here);
    SkipCounts& counts = selection->counts;
    if (rows_.begin > 0) counts = {};
    counts.rows = *row_count();
    counts.row_groups = pages_ ? pages_->first_rows().size() - 1 : counts.row_groups;
    counts.rows_skipped = counts.rows - kept;
    return selection;
  }

 private:
  const std::shared_ptr<TableSource> source_;
  const RowRange rows_;
  std::shared_ptr<const pages::PagedTable> pages_;
};

}  // namespace

std::shared_ptr<TableSource> row_range_source(std::shared_ptr<TableSource> source, RowRange rows) {
  return std::make_shared<RowRangeSource>(std::move(source), rows);
}

}  // namespace penstock::plan
