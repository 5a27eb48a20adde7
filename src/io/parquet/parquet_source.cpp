#include <filesystem>

#include "io/common/sources.hpp"
#include "io/parquet/paged_file.hpp"
#include "io/parquet/parquet_scan.hpp"

namespace penstock::io {
namespace {

class ParquetSource final : public TableSource {
 public:
  explicit ParquetSource(std::shared_ptr<const ParquetFile> file)
      : file_(std::move(file)), pages_(paged_table(file_)) {
    for (const ParquetColumn& column : file_->columns()) schema_.push_back(column.field);
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return file_->first_rows().back(); }
  std::string describe() const override {
    return std::filesystem::path(file_->path()).filename().string();
  }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, file_->path()));
    return scan_parquet(file_, columns, options);
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }

 private:
  std::shared_ptr<const ParquetFile> file_;
  std::shared_ptr<const pages::PagedTable> pages_;
  Schema schema_;
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_parquet(const std::string& path) {
  PENSTOCK_ASSIGN(auto file, ParquetFile::open(path));
  return std::shared_ptr<TableSource>(std::make_shared<ParquetSource>(std::move(file)));
}

}  // namespace penstock::io
