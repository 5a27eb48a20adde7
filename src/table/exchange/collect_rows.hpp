// Rows that lie in the memory of several devices, copied to one.
#pragma once
#include <memory>
#include <span>

#include "device/device_range.hpp"
#include "penstock/report.hpp"
#include "penstock/skipping.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

struct RowsOfShare {
  std::shared_ptr<Device> device;
  DeviceRows rows;
  RowRange range;  // those that are copied

  std::uint64_t count() const { return range.end - range.begin; }
};

// Copies rows of shares to the device of one of them, share after share. All shares with rows have
// one layout (have_one_layout()). Adds the bytes of other shares to report.bytes_exchanged.
// Code::no_memory if they do not fit.
Result<DeviceRows> collect_rows(std::span<const RowsOfShare> shares, std::size_t to,
                                RunReport& report);

// Copies out of the memory of each share to the memory of share `to`. Each share begins with its
// own rows and goes on with the next share: if the driver copies, all would otherwise read the
// memory of one device at a time. Adds what other shares have to report.bytes_exchanged.
Status copy_in_turn(std::span<const std::vector<device::DeviceCopy>> by_share, std::size_t to,
                    RunReport& report);

}  // namespace penstock::plan
