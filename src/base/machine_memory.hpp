// The memory limit of this process.
#pragma once
#include <cstdint>

namespace penstock {

// Returns the bytes of physical memory, or the container's limit if that is lower. Only the limit
// at the root of the cgroup is read, as the process sees it: the limits of systemd slices and Slurm
// jobs below it are ignored. 0 if the system does not report its physical memory.
std::uint64_t machine_memory_bytes();

}  // namespace penstock
