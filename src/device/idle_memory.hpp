// How much idle pinned memory a device keeps for later runs.
#pragma once
#include <cstdint>

#include "base/machine_memory.hpp"

namespace penstock::device {

// Returns the bytes that each device may keep: a sixteenth of the machine's memory, from 4 to
// 16 GiB, but never above half of it.
//
// A result is downloaded to pinned memory, and to pin 4 GiB takes longer than to fill them. So a
// repetition should find the memory of the last run: a sort's result of two int64 columns of 2^28
// rows is 4 GiB. What is kept is lost to the page cache and to other processes until the device is
// closed. Several devices, and ranks of one machine, each keep as much.
std::uint64_t idle_pinned_limit_bytes(std::uint64_t machine_bytes = machine_memory_bytes());

}  // namespace penstock::device
