// The limit of idle pinned memory that a device keeps for later runs.
#pragma once
#include <cstdint>

#include "base/machine_memory.hpp"

namespace penstock::device {

// Returns the bytes that each device may keep: a sixteenth of the machine's memory, from 4 to
// 16 GiB, but never above half of it.
//
// Results are downloaded to pinned memory, and pinning 4 GiB takes longer than filling it. So a
// repetition should find the memory of the last run: a sort's result of two int64 columns of 2^28
// rows is 4 GiB. Until the device is closed, the page cache and other processes cannot use the kept
// memory. Each device and each rank of one machine keeps as much.
std::uint64_t idle_pinned_limit_bytes(std::uint64_t machine_bytes = machine_memory_bytes());

}  // namespace penstock::device
