// Buffers of any size, and of a size that a device may have no memory for.
#pragma once
#include "penstock/device.hpp"

namespace penstock::device {

// Rounds the size up: kernels access whole words, and drivers take no buffer of no bytes.
Result<std::shared_ptr<Buffer>> allocate(Device& device, std::uint64_t bytes);
// Returns whether a device had no memory for a buffer, or takes none of that size.
bool is_short_of_memory(const Status& status);
// Returns null if the device is short of memory.
Result<std::shared_ptr<Buffer>> try_allocate(Device& device, std::uint64_t bytes);

}  // namespace penstock::device
