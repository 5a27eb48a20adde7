#include "table/rows/host_columns.hpp"

#include <algorithm>

#include "table/strings/written_column.hpp"

namespace penstock::plan {

Result<std::vector<HostColumn>> allocate_host_columns(Device& device, const DeviceRows& like,
                                                      const Columns& columns,
                                                      std::uint64_t row_count) {
  const std::uint64_t rows = std::max<std::uint64_t>(row_count, 64);
  std::vector<HostColumn> allocated;
  for (const std::uint32_t number : columns) {
    const DeviceColumn& column = like.columns[number];
    HostColumn& to = allocated.emplace_back();
    to.type = column.type;
    PENSTOCK_ASSIGN(to.values, device.allocate_host(rows * width_bytes(column.type)));
    if (column.validity) { PENSTOCK_ASSIGN(to.validity, device.allocate_host(rows)); }
  }
  return allocated;
}

std::vector<Column> columns_of(const std::vector<HostColumn>& written, std::uint64_t row_count,
                               const StringPool& strings) {
  std::vector<Column> columns;
  for (const HostColumn& column : written)
    columns.push_back(
        column_of_written(column.type, row_count, column.values, column.validity, strings.texts()));
  return columns;
}

}  // namespace penstock::plan
