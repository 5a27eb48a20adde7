// Rows that lie in the memory of several devices, copied to one.
#pragma once
#include <memory>
#include <span>

#include "penstock/report.hpp"
#include "penstock/skipping.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

struct RowsOfShare {
  std::shared_ptr<Device> device;
  const DeviceRows* rows = nullptr;
  RowRange range;  // rows to copy
};

// Copies rows of shares to the device of one of them, share after share. All shares with rows have
// one layout (have_one_layout()). Adds the bytes of other shares to report.bytes_exchanged.
// Code::no_memory if they do not fit.
Result<DeviceRows> collect_rows(std::span<const RowsOfShare> shares, std::size_t to,
                                RunReport& report);

}  // namespace penstock::plan
