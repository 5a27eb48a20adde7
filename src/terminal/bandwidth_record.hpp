// A device's copy bandwidth, measured once and kept in the cache directory, so that a query can
// state its share of it without paying for the measurement every time.
#pragma once
#include <optional>
#include <string>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::cli {

struct MeasuredBandwidth {
  double bytes_per_second = 0;  // read plus written
  std::string date;             // of the measurement: "2026-11-21"
};

// The kept figure of this device, driver and compiler. When there is none it is measured if that is
// quick (a GPU's copy of 1 GiB takes a millisecond, a CPU's a second in all) and can be kept;
// otherwise the query goes without.
std::optional<MeasuredBandwidth> copy_bandwidth_beside_a_query(Device& device);
// Measures anew. That the figure could not be kept (a read-only home) is no error.
Result<MeasuredBandwidth> measure_copy_bandwidth(Device& device);

}  // namespace penstock::cli
