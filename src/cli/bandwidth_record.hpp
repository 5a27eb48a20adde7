// A device's copy bandwidth, measured once and kept in the cache directory, so that a query can state its share of it without
// paying for the measurement every time.
#pragma once
#include <string>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::cli {

struct MeasuredBandwidth {
  double bytes_per_second = 0;   // read plus written
  std::string date;              // of the measurement: "2026-11-21"
};

// The kept figure of this device, driver and compiler; measures and keeps it when there is none.
Result<MeasuredBandwidth> copy_bandwidth_of(Device& device);
// Measures anew. That the figure could not be kept (a read-only home) is no error.
Result<MeasuredBandwidth> measure_copy_bandwidth(Device& device);

}  // namespace penstock::cli
