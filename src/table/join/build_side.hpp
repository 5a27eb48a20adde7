// The build side of a join: the rows of its right side on the host or in device memory, and the
// tables that find them.
#pragma once
#include <memory>

#include "table/join/bucketed_rows.hpp"
#include "table/join/device_join_table.hpp"
#include "table/join/join_table.hpp"

namespace penstock::plan {

// A right side that stays in device memory, with its table.
struct DeviceSide {
  std::shared_ptr<RowKernels> kernels;
  DeviceRows rows;  // of the right step; columns that nothing reads are without values
  DeviceJoinTable table;
};

struct BuildSide {
  // The right step's rows; columns that the host does not read are without values.
  Table rows;
  JoinTable table;                      // if the host joins, or makes the table
  std::optional<DeviceSide> on_device;  // for lookups
  // If it is joined by partitions: its rows, their columns in the right step, and whether keys
  // repeat.
  std::shared_ptr<const BucketedRows> buckets;
  Columns bucketed_columns;
  bool repeats = false;

  // For a side with rows that are, or were, on the device.
  const std::shared_ptr<RowKernels>& kernels() const {
    return on_device ? on_device->kernels : buckets->kernels();
  }
  bool has_unique_keys() const {
    if (buckets) return !repeats;
    return on_device ? on_device->table.repeated_rows == 0 : table.is_unique();
  }
};

}  // namespace penstock::plan
