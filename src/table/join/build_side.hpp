// The build side of a join: the rows of its right side on the host or in device memory, and how
// they are found.
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
  // Of the right step; columns that the host does not read are without values.
  Table rows;
  JoinTable table;                      // where the host joins or makes it
  std::optional<DeviceSide> on_device;  // what lookups read then
  // Where it is joined by partitions: its rows, which of the step's columns these are, and whether
  // a key stands twice.
  std::shared_ptr<const BucketedRows> buckets;
  Columns bucketed_columns;
  bool repeats = false;

  // Of a side whose rows are, or were, on the device.
  const std::shared_ptr<RowKernels>& kernels() const {
    return on_device ? on_device->kernels : buckets->kernels();
  }
  bool has_unique_keys() const {
    if (buckets) return !repeats;
    return on_device ? on_device->table.repeated_rows == 0 : table.is_unique();
  }
};

}  // namespace penstock::plan
