#include <algorithm>

#include "penstock/column.hpp"
#include "penstock/skipping.hpp"

namespace penstock {
namespace {

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool lives_on_device(const Column& column) { return column.device_values != nullptr; }

class TableStream final : public BatchStream {
 public:
  TableStream(Table table, std::uint64_t batch_rows)
      : table_(std::move(table)), batch_rows_(batch_rows) {}

  Result<std::optional<Table>> next() override {
    if (first_ == table_.row_count) return std::optional<Table>();
    Table batch;
    batch.names = table_.names;
    batch.row_count = std::min(batch_rows_, table_.row_count - first_);
    for (const Column& column : table_.columns)
      batch.columns.push_back(column.slice(first_, batch.row_count));
    first_ += batch.row_count;
    return std::optional<Table>(std::move(batch));
  }

 private:
  Table table_;
  std::uint64_t batch_rows_, first_ = 0;
};

class InMemorySource final : public TableSource {
 public:
  InMemorySource(Table table, std::string name)
      : table_(std::move(table)), schema_(table_.schema()), name_(std::move(name)) {}

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return table_.row_count; }
  std::string describe() const override { return name_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    Table asked;
    asked.row_count = table_.row_count;
    // Device memory is not sliced, so such a table is one batch.
    std::uint64_t batch_rows = std::max<std::uint64_t>(options.batch_rows / 64 * 64, 64);
    for (const std::uint32_t index : columns) {
      if (index >= table_.columns.size())
        return Status(Code::invalid, name_ + " has no column " + std::to_string(index));
      const Column& column = table_.columns[index];
      if (column.row_count != table_.row_count)
        return Status(Code::invalid, "column '" + table_.names[index] + "' of " + name_ + " has " +
                                         std::to_string(column.row_count) + " rows, the table " +
                                         std::to_string(table_.row_count));
      if (lives_on_device(column)) batch_rows = std::max<std::uint64_t>(table_.row_count, 1);
      const bool stays_encoded = std::ranges::find(options.encoded, index) != options.encoded.end();
      asked.names.push_back(table_.names[index]);
      if (stays_encoded)
        asked.columns.push_back(column);
      else { PENSTOCK_ASSIGN(asked.columns.emplace_back(), decoded(column)); }
    }
    return std::unique_ptr<BatchStream>(
        std::make_unique<TableStream>(std::move(asked), batch_rows));
  }

 private:
  Table table_;
  Schema schema_;
  std::string name_;
};

}  // namespace

Result<std::optional<RowSelection>> TableSource::select_rows(const RowCondition&) const {
  return std::optional<RowSelection>();
}

Result<ColumnStatistics> TableSource::statistics(std::uint32_t) const { return ColumnStatistics(); }

Result<std::optional<std::uint64_t>> TableSource::null_count(std::uint32_t column) const {
  return schema()[column].nullable ? std::optional<std::uint64_t>() : 0;
}

Result<std::optional<ValueBounds>> TableSource::bounds(std::uint32_t, RowRange) const {
  return std::optional<ValueBounds>();
}

Status TableSource::check_statistics(std::span<const std::uint32_t>) const { return {}; }

std::optional<std::uint32_t> find_field(const Schema& schema, std::string_view name) {
  for (std::size_t i = 0; i < schema.size(); i++)
    if (schema[i].name == name) return static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < schema.size(); i++)
    if (std::ranges::equal(schema[i].name, name, {}, folded, folded))
      return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

Table Table::of(std::vector<std::pair<std::string, Column>> columns) {
  Table table;
  table.row_count = columns.empty() ? 0 : columns.front().second.row_count;
  for (auto& [name, column] : columns) {
    table.names.push_back(std::move(name));
    table.columns.push_back(std::move(column));
  }
  return table;
}

Schema Table::schema() const {
  Schema schema;
  for (std::size_t i = 0; i < columns.size(); i++)
    schema.push_back({names[i],
                      columns[i].type,
                      !columns[i].validity.empty() || columns[i].device_validity != nullptr,
                      {},
                      columns[i].encoded != nullptr});
  return schema;
}

std::shared_ptr<TableSource> table_source(Table table, std::string name) {
  return std::make_shared<InMemorySource>(std::move(table), std::move(name));
}

}  // namespace penstock
