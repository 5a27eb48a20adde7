// Copies of memory between two devices: over a link between GPUs if the driver has one, otherwise
// by way of the host.
#pragma once
#include "device/device_range.hpp"

namespace penstock::device {

// Copies to one device. Targets must not overlap, as a kernel copies in any order; the driver
// copies in the given order. Returns when all copies are done. All writes to each `from` must be
// complete before the call.
Status copy_between(std::span<const DeviceCopy> copies);

}  // namespace penstock::device
