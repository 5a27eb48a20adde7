// How much memory this process may have.
#pragma once
#include <cstdint>

namespace penstock {

// Returns the bytes of physical memory, or the limit of a container where that is less: as the
// process sees it at the root of its cgroup. A limit of a systemd slice or a Slurm job deeper down
// is not seen. 0 where the system does not tell the physical memory.
std::uint64_t machine_memory_bytes();

}  // namespace penstock
