// Columns of the host's memory, as devices write them.
#pragma once
#include <memory>
#include <vector>

#include "table/rows/device_rows.hpp"

namespace penstock::plan {

struct HostColumn {
  Type type;
  std::shared_ptr<HostBuffer> values, validity;  // as a DeviceColumn has them
};

// Allocates so many rows of some columns, by number. Any device copies to what one has pinned.
Result<std::vector<HostColumn>> allocate_host_columns(Device& device, const DeviceRows& like,
                                                      const Columns& columns,
                                                      std::uint64_t row_count);
// Returns them as a table has them.
std::vector<Column> columns_of(const std::vector<HostColumn>& written, std::uint64_t row_count,
                               const StringPool& strings);

}  // namespace penstock::plan
