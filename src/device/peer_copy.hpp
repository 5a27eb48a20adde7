// Copies of memory between two devices: over the link between two GPUs where the driver has one,
// otherwise by way of the host.
#pragma once
#include "device/device_range.hpp"

namespace penstock::device {

// Copies to one device. Their targets do not overlap, as they may be done in any order. Where the
// driver copies, it is in theirs. Returns when all are done. What wrote `from` of each must be done
// before.
Status copy_between(std::span<const DeviceCopy> copies);

}  // namespace penstock::device
