#include "column/held_batches.hpp"

#include <algorithm>

#include "column/rebatch.hpp"
#include "column/unsupported.hpp"

namespace penstock::column {
namespace {

using Batches = std::vector<Table>;

class HeldSource final : public TableSource {
 public:
  HeldSource(Schema schema, std::vector<std::optional<std::uint32_t>> places,
             std::shared_ptr<const Batches> batches, std::string name)
      : schema_(std::move(schema)),
        places_(std::move(places)),
        batches_(std::move(batches)),
        name_(std::move(name)) {
    for (const Table& batch : *batches_) row_count_ += batch.row_count;
  }

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return name_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    for (const std::uint32_t column : columns)
      if (column >= schema_.size())
        return Status(Code::invalid, name_ + " has no column " + std::to_string(column));
    PENSTOCK_TRY(check_supported(schema_, columns, " of " + name_));
    std::vector<std::uint32_t> wanted;
    for (const std::uint32_t column : columns) wanted.push_back(*places_[column]);
    return rebatch(
        [batches = batches_, wanted,
         at = std::size_t{0}]() mutable -> Result<std::optional<Table>> {
          if (at == batches->size()) return std::optional<Table>();
          return std::optional<Table>(some_columns((*batches)[at++], wanted));
        },
        options.batch_rows);
  }

 private:
  static Table some_columns(const Table& batch, const std::vector<std::uint32_t>& wanted) {
    Table table;
    table.row_count = batch.row_count;
    for (const std::uint32_t column : wanted) {
      table.names.push_back(batch.names[column]);
      table.columns.push_back(batch.columns[column]);
    }
    return table;
  }

  const Schema schema_;
  const std::vector<std::optional<std::uint32_t>> places_;  // of a column in the batches
  const std::shared_ptr<const Batches> batches_;
  const std::string name_;
  std::uint64_t row_count_ = 0;
};

// Producers call most columns nullable. Kernels read no validity of those that have no NULLs.
Schema with_nulls_of(Schema schema, const std::vector<std::optional<std::uint32_t>>& places,
                     const Batches& batches) {
  for (std::size_t i = 0; i < schema.size(); i++)
    if (schema[i].nullable && places[i])
      schema[i].nullable = std::ranges::any_of(batches, [&](const Table& batch) {
        const Column& column = batch.columns[*places[i]];
        return !column.validity.empty() || column.device_validity != nullptr;
      });
  return schema;
}

}  // namespace

Result<std::shared_ptr<TableSource>> hold_batches(const TableSource& source) {
  const Schema& schema = source.schema();
  std::vector<std::uint32_t> columns;
  std::vector<std::optional<std::uint32_t>> places(schema.size());
  for (std::uint32_t i = 0; i < schema.size(); i++) {
    if (!schema[i].unsupported.empty()) continue;
    places[i] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(i);
  }
  PENSTOCK_ASSIGN(const auto stream, source.scan(columns, {}));
  auto batches = std::make_shared<Batches>();
  for (;;) {
    PENSTOCK_ASSIGN(std::optional<Table> batch, stream->next());
    if (!batch) break;
    batches->push_back(std::move(*batch));
  }
  Schema found = with_nulls_of(schema, places, *batches);
  return std::shared_ptr<TableSource>(std::make_shared<HeldSource>(
      std::move(found), std::move(places), std::move(batches), source.describe()));
}

}  // namespace penstock::column
