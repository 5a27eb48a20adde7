#include <filesystem>

#include "base/file.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sources.hpp"
#include "io/parquet/paged_file.hpp"
#include "io/parquet/parquet_known_selections.hpp"
#include "io/parquet/parquet_scan.hpp"
#include "io/parquet/parquet_select.hpp"
#include "io/parquet/parquet_statistics.hpp"

namespace penstock::io {
namespace {

class ParquetSource final : public TableSource {
 public:
  ParquetSource(std::shared_ptr<const ParquetFile> file, std::string identity)
      : file_(std::move(file)),
        known_(*file_),
        pages_(paged_table(file_)),
        identity_(std::move(identity)) {
    for (const ParquetColumn& column : file_->columns()) schema_.push_back(column.field);
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return file_->first_rows().back(); }
  std::string describe() const override {
    return std::filesystem::path(file_->path()).filename().string();
  }
  Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const override {
    const std::optional<std::string> key = KnownSelections::key_of(needed);
    if (key)
      if (auto known = selections_.find(*key)) return known;
    PENSTOCK_ASSIGN(RowSelection rows, select_parquet_rows(*file_, known_, needed));
    if (key) selections_.keep(*key, rows);
    return std::optional(std::move(rows));
  }
  Result<ColumnStatistics> statistics(std::uint32_t column) const override {
    PENSTOCK_TRY(check_columns(schema_, std::span(&column, 1), file_->path()));
    auto found = catch_arrow_exceptions([&] { return parquet_statistics(*file_, known_, column); });
    if (found.ok()) return found;
    return found.with("in the footer of '" + file_->path() + "'");
  }
  Result<std::optional<std::uint64_t>> null_count(std::uint32_t column) const override {
    PENSTOCK_TRY(check_columns(schema_, std::span(&column, 1), file_->path()));
    return catch_arrow_exceptions([&]() -> Result<std::optional<std::uint64_t>> {
      return parquet_null_count(*file_, known_, column);
    });
  }
  // Another identity: a session keeps columns of this one without room for NULLs.
  std::shared_ptr<TableSource> with_nulls_found() const override {
    if (!file_->has_found_null()) return nullptr;
    auto file = file_->without_null_counts();
    if (!file.ok()) return nullptr;
    return std::make_shared<ParquetSource>(std::move(*file),
                                           identity_.empty() ? "" : identity_ + " with NULLs");
  }
  Result<std::optional<ValueBounds>> bounds(std::uint32_t column, RowRange rows) const override {
    PENSTOCK_TRY(check_columns(schema_, std::span(&column, 1), file_->path()));
    return catch_arrow_exceptions([&]() -> Result<std::optional<ValueBounds>> {
      return parquet_value_bounds(*file_, known_, column, rows);
    });
  }
  Status check_statistics(std::span<const std::uint32_t> columns) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, file_->path()));
    return catch_arrow_exceptions([&] { return check_parquet_statistics(file_, columns); });
  }
  std::string identity() const override { return identity_; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, file_->path()));
    return scan_parquet(file_, columns, options);
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }

 private:
  std::shared_ptr<const ParquetFile> file_;
  KnownBounds known_;
  mutable KnownSelections selections_;
  std::shared_ptr<const pages::PagedTable> pages_;
  Schema schema_;
  std::string identity_;  // when it was opened
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_parquet(const std::string& path, bool stays_open) {
  std::string identity = file_identity(path);
  PENSTOCK_ASSIGN(auto file, ParquetFile::open(path, stays_open));
  return std::shared_ptr<TableSource>(
      std::make_shared<ParquetSource>(std::move(file), std::move(identity)));
}

}  // namespace penstock::io
