// A device's copy bandwidth, measured once and stored in the cache directory, so that a query can
// report its share of it without measuring every time.
#pragma once
#include <optional>
#include <string>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::terminal {

struct MeasuredBandwidth {
  double bytes_per_second = 0;  // read plus written
  std::string date;             // of the measurement: "2026-11-21"
};

// Returns the stored figure of this device, driver and compiler. Without a figure it measures, if
// that is quick and the result can be stored: a GPU's copy of 1 GiB takes a millisecond, a CPU's a
// second in all. Otherwise it returns nothing.
std::optional<MeasuredBandwidth> copy_bandwidth_for_query(Device& device);
// Builds what that will measure with, if it will. A new machine's first statement compiles it
// beside its own programs then, and not after its end, where it took 0.1 s.
void prepare_copy_bandwidth(Device& device);
// Measures again. A figure that cannot be stored (a read-only home) is no error.
Result<MeasuredBandwidth> measure_copy_bandwidth(Device& device);

}  // namespace penstock::terminal
