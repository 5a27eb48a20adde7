#include "exec/scan/selected_source.hpp"

#include "codec/pages/selected_pages.hpp"

namespace penstock::plan {
namespace {

class SelectedSource final : public TableSource {
 public:
  SelectedSource(std::shared_ptr<TableSource> source, RowSelection rows)
      : source_(std::move(source)), rows_(std::make_shared<const RowSelection>(std::move(rows))) {}

  const Schema& schema() const override { return source_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return rows_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    ScanOptions of_rows = options;
    of_rows.rows = rows_;
    return source_->scan(columns, of_rows);
  }
  bool can_be_scanned_again() const override { return source_->can_be_scanned_again(); }
  std::string describe() const override { return source_->describe(); }

 private:
  std::shared_ptr<TableSource> source_;
  std::shared_ptr<const RowSelection> rows_;
};

}  // namespace

std::shared_ptr<TableSource> selected_source(std::shared_ptr<TableSource> source,
                                             RowSelection rows) {
  return std::make_shared<SelectedSource>(std::move(source), std::move(rows));
}

SkipCounts counted_by_groups(const RowSelection& rows, const TableSource& source) {
  SkipCounts counts = rows.counts;
  counts.pages_skipped = 0;
  if (counts.rows_skipped == 0) return counts;
  counts.rows_skipped = counts.rows;
  const auto table = source.pages();
  for (const std::uint32_t group : pages::groups_with_rows(*table, rows.ranges))
    counts.rows_skipped -= table->first_rows()[group + 1] - table->first_rows()[group];
  return counts;
}

}  // namespace penstock::plan
