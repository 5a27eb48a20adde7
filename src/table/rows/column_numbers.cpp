#include "table/rows/column_numbers.hpp"

#include <algorithm>
#include <numeric>

#include "column/concatenate.hpp"

namespace penstock::plan {

Columns every_column(const Schema& schema) {
  Columns columns(schema.size());
  std::iota(columns.begin(), columns.end(), 0u);
  return columns;
}

void add_once(Columns& columns, std::uint32_t column) {
  if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
}

Columns places_in(const Columns& columns, const Columns& wanted) {
  Columns places;
  for (const std::uint32_t column : wanted)
    places.push_back(static_cast<std::uint32_t>(std::find(columns.begin(), columns.end(), column) -
                                                columns.begin()));
  return places;
}

// One batch of all rows needs no concatenation.
Result<Table> read_columns(const TableSource& source, const Columns& columns) {
  const Schema& schema = source.schema();
  ScanOptions options;
  options.batch_rows = std::max(options.batch_rows, source.row_count().value_or(0) + 64);
  PENSTOCK_ASSIGN(const auto stream, source.scan(columns, options));
  std::vector<std::vector<Column>> parts(columns.size());
  Table table;
  for (;;) {
    PENSTOCK_ASSIGN(std::optional<Table> batch, stream->next());
    if (!batch) break;
    table.row_count += batch->row_count;
    for (std::size_t i = 0; i < parts.size(); i++) parts[i].push_back(std::move(batch->columns[i]));
  }
  for (std::size_t i = 0; i < parts.size(); i++) {
    table.names.push_back(schema[columns[i]].name);
    table.columns.push_back(column::concatenate(schema[columns[i]].type, parts[i]));
    if (table.columns[i].device_values && table.columns[i].values.empty())
      return Status(Code::unsupported,
                    "rows that live on a device alone cannot be the right side of a join");
  }
  return table;
}

Table pick_columns(const Table& table, const Columns& columns) {
  Table picked{{}, {}, table.row_count};
  for (const std::uint32_t column : columns) {
    picked.names.push_back(table.names[column]);
    picked.columns.push_back(table.columns[column]);
  }
  return picked;
}

Table spread_columns(const Schema& schema, const Columns& columns, const Table& from) {
  Table table;
  table.row_count = from.row_count;
  for (const Field& field : schema) {
    table.names.push_back(field.name);
    table.columns.emplace_back();
    table.columns.back().type = field.type;
  }
  for (std::size_t i = 0; i < columns.size(); i++) table.columns[columns[i]] = from.columns[i];
  return table;
}

}  // namespace penstock::plan
