#pragma once
#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::kernel {

// Measures the share of a device's memory system that a copy kernel or the driver's copy reaches,
// whichever is better, in bytes read plus written a second: the figure that every bench divides by.
// Measured once a process and device, on buffers far larger than any cache (256 MiB each on a CPU,
// 1 GiB on a GPU, less where memory is short).
Result<double> copy_bandwidth(Device& device);

// Builds the program that it runs, and waits.
Status build_copy(Device& device);

}  // namespace penstock::kernel
