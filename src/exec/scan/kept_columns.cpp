#include "exec/scan/kept_columns.hpp"

namespace penstock::plan {
namespace {

using KeptColumn = std::shared_ptr<const Column>;

DeviceCache::Key key_of(const TableSource& source, std::uint32_t column) {
  return {.kind = "whole column", .identity = source.identity(), .column = column};
}

}  // namespace

std::uint64_t kept_bytes(const Column& column) {
  std::uint64_t bytes =
      sizeof(Column) + column.values.size + column.validity.size + column.offsets.size;
  if (column.device_values) bytes += column.device_values->bytes();
  if (column.device_validity) bytes += column.device_validity->bytes();
  return column.dictionary ? bytes + kept_bytes(*column.dictionary) : bytes;
}

Result<KeptTable> read_kept_columns(DeviceCache* cache, const TableSource& source,
                                    const Columns& columns) {
  KeptTable result;
  if (cache == nullptr || source.identity().empty() || columns.empty()) {
    PENSTOCK_ASSIGN(result.table, read_columns(source, columns));
    return result;
  }
  std::vector<KeptColumn> kept;
  Columns missing;
  for (const std::uint32_t column : columns) {
    kept.push_back(cache->find<Column>(key_of(source, column)));
    if (!kept.back()) missing.push_back(column);
  }
  result.columns_from_cache = columns.size() - missing.size();
  Table read;
  if (!missing.empty()) { PENSTOCK_ASSIGN(read, read_columns(source, missing)); }
  std::size_t next = 0;
  for (std::size_t i = 0; i < columns.size(); i++) {
    if (!kept[i]) {
      kept[i] = std::make_shared<const Column>(std::move(read.columns[next++]));
      cache->put(key_of(source, columns[i]), kept[i], kept_bytes(*kept[i]));
    }
    result.table.names.push_back(source.schema()[columns[i]].name);
    result.table.columns.push_back(*kept[i]);
  }
  result.table.row_count = result.table.columns[0].row_count;
  for (const Column& column : result.table.columns)
    if (column.row_count != result.table.row_count)
      return Status(Code::io, "the file changed while it was read");
  return result;
}

}  // namespace penstock::plan
