#include <algorithm>
#include <mutex>

#include "penstock/column.hpp"

namespace penstock {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool lives_on_device(const Column& column) { return column.device_values != nullptr; }

class TableStream final : public BatchStream {
 public:
  TableStream(Table table, std::uint64_t batch_rows) : table_(std::move(table)), batch_rows_(batch_rows) {}

  Result<std::optional<Table>> next() override {
    if (first_ == table_.row_count) return std::optional<Table>();
    Table batch;
    batch.names = table_.names;
    batch.row_count = std::min(batch_rows_, table_.row_count - first_);
    for (const Column& column : table_.columns) batch.columns.push_back(column.slice(first_, batch.row_count));
    first_ += batch.row_count;
    return std::optional<Table>(std::move(batch));
  }

 private:
  Table table_;
  std::uint64_t batch_rows_, first_ = 0;
};

template <class T> std::optional<Bounds> bounds_of(const Column& column) {
  const T* values = column.values.as<T>();
  T minimum = 0, maximum = 0;
  bool any = false;
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    if (!column.is_valid(row)) continue;
    minimum = any ? std::min(minimum, values[row]) : values[row];
    maximum = any ? std::max(maximum, values[row]) : values[row];
    any = true;
  }
  if (!any || (std::is_same_v<T, std::uint64_t> && static_cast<std::uint64_t>(maximum) > INT64_MAX)) return std::nullopt;
  return Bounds{static_cast<std::int64_t>(minimum), static_cast<std::int64_t>(maximum)};
}

std::optional<Bounds> bounds_of(const Column& column) {
  if (column.values.empty()) return std::nullopt;
  switch (column.type.kind) {
    case Kind::int8: return bounds_of<std::int8_t>(column);
    case Kind::int16: return bounds_of<std::int16_t>(column);
    case Kind::int32: case Kind::date32: return bounds_of<std::int32_t>(column);
    case Kind::int64: case Kind::timestamp: return bounds_of<std::int64_t>(column);
    case Kind::uint8: return bounds_of<std::uint8_t>(column);
    case Kind::uint16: return bounds_of<std::uint16_t>(column);
    case Kind::uint32: return bounds_of<std::uint32_t>(column);
    case Kind::uint64: return bounds_of<std::uint64_t>(column);
    case Kind::decimal: return column.type.precision <= 18 ? bounds_of<std::int64_t>(column) : std::nullopt;
    default: return std::nullopt;
  }
}

class InMemorySource final : public TableSource {
 public:
  InMemorySource(Table table, std::string name)
      : table_(std::move(table)), schema_(table_.schema()), name_(std::move(name)), bounds_(table_.columns.size()) {}

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return table_.row_count; }
  std::string describe() const override { return name_; }

  // One pass over the column the first time it is asked.
  std::optional<Bounds> bounds(std::uint32_t column) const override {
    if (column >= bounds_.size() || table_.columns[column].row_count != table_.row_count) return std::nullopt;
    LazyBounds& lazy = bounds_[column];
    std::call_once(lazy.once, [&] { lazy.value = bounds_of(table_.columns[column]); });
    return lazy.value;
  }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns, const ScanOptions& options) const override {
    Table asked;
    asked.row_count = table_.row_count;
    // Device memory is not sliced, so such a table is one batch.
    std::uint64_t batch_rows = std::max<std::uint64_t>(options.batch_rows / 64 * 64, 64);
    for (const std::uint32_t index : columns) {
      if (index >= table_.columns.size())
        return Status(Code::invalid, name_ + " has no column " + std::to_string(index));
      const Column& column = table_.columns[index];
      if (column.row_count != table_.row_count)
        return Status(Code::invalid, "column '" + table_.names[index] + "' of " + name_ + " has " + std::to_string(column.row_count) +
                                         " rows, the table " + std::to_string(table_.row_count));
      if (lives_on_device(column)) batch_rows = std::max<std::uint64_t>(table_.row_count, 1);
      asked.names.push_back(table_.names[index]);
      asked.columns.push_back(column);
    }
    return std::unique_ptr<BatchStream>(std::make_unique<TableStream>(std::move(asked), batch_rows));
  }

 private:
  struct LazyBounds { std::once_flag once; std::optional<Bounds> value; };
  Table table_;
  Schema schema_;
  std::string name_;
  mutable std::vector<LazyBounds> bounds_;
};

}  // namespace

std::optional<std::uint32_t> find_field(const Schema& schema, std::string_view name) {
  for (std::size_t i = 0; i < schema.size(); i++)
    if (schema[i].name == name) return static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < schema.size(); i++)
    if (std::ranges::equal(schema[i].name, name, {}, lower, lower)) return static_cast<std::uint32_t>(i);
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
    schema.push_back({names[i], columns[i].type, !columns[i].validity.empty() || columns[i].device_validity != nullptr});
  return schema;
}

std::shared_ptr<TableSource> table_source(Table table, std::string name) {
  return std::make_shared<InMemorySource>(std::move(table), std::move(name));
}

}  // namespace penstock
