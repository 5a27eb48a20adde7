#include <filesystem>

#include "base/file.hpp"
#include "io/common/sources.hpp"
#include "io/parquet/parquet_scan.hpp"

namespace penstock::io {
namespace {

class ParquetSource final : public TableSource {
 public:
  ParquetSource(std::shared_ptr<const ParquetFile> file, std::string identity)
      : file_(std::move(file)), identity_(std::move(identity)) {
    for (const ParquetColumn& column : file_->columns()) schema_.push_back(column.field);
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return file_->first_rows().back(); }
  std::string describe() const override {
    return std::filesystem::path(file_->path()).filename().string();
  }
  std::string identity() const override { return identity_; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, file_->path()));
    return scan_parquet(file_, columns, options);
  }

 private:
  std::shared_ptr<const ParquetFile> file_;
  Schema schema_;
  std::string identity_;  // when it was opened
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_parquet(const std::string& path) {
  std::string identity = file_identity(path);
  PENSTOCK_ASSIGN(auto file, ParquetFile::open(path));
  return std::shared_ptr<TableSource>(
      std::make_shared<ParquetSource>(std::move(file), std::move(identity)));
}

}  // namespace penstock::io
