#include "table/rows/appended_rows.hpp"

#include <span>

namespace penstock::plan {
namespace {

using Sources = std::vector<std::shared_ptr<TableSource>>;

class AppendedStream final : public BatchStream {
 public:
  AppendedStream(const Sources& sources, std::span<const std::uint32_t> columns,
                 ScanOptions options)
      : sources_(sources), columns_(columns.begin(), columns.end()), options_(std::move(options)) {}

  Result<std::optional<Table>> next() override {
    for (; at_ < sources_.size(); at_++, of_source_.reset()) {
      if (!of_source_) { PENSTOCK_ASSIGN(of_source_, sources_[at_]->scan(columns_, options_)); }
      PENSTOCK_ASSIGN(std::optional<Table> batch, of_source_->next());
      if (batch) return batch;
    }
    return std::optional<Table>();
  }

 private:
  Sources sources_;  // shared
  std::vector<std::uint32_t> columns_;
  ScanOptions options_;
  std::size_t at_ = 0;
  std::unique_ptr<BatchStream> of_source_;
};

class AppendedRows final : public TableSource {
 public:
  AppendedRows(Schema schema, Sources sources)
      : schema_(std::move(schema)), sources_(std::move(sources)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override {
    std::uint64_t rows = 0;
    for (const auto& source : sources_) {
      const auto of_source = source->row_count();
      if (!of_source) return std::nullopt;
      rows += *of_source;
    }
    return rows;
  }
  std::string describe() const override { return "append"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return std::unique_ptr<BatchStream>(
        std::make_unique<AppendedStream>(sources_, columns, options));
  }

 private:
  Schema schema_;
  Sources sources_;
};

}  // namespace

std::shared_ptr<TableSource> appended_rows(Schema schema, Sources sources) {
  return std::make_shared<AppendedRows>(std::move(schema), std::move(sources));
}

}  // namespace penstock::plan
