// Copies of memory between two devices: over the link between two GPUs where the driver has one,
// otherwise by way of the host.
#pragma once
#include "device/device_range.hpp"

namespace penstock::device {

// Returns when the copy is done. What wrote `from` must be done before.
Status copy_between(const DeviceRange& to, const DeviceRange& from, std::uint64_t bytes);

}  // namespace penstock::device
