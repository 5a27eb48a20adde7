// How much memory this process may have.
#pragma once
#include <cstdint>

namespace penstock {

// Returns the bytes of physical memory, or the limit of the process's control group where that is
// less, as in a container. 0 where the system tells neither.
std::uint64_t machine_memory_bytes();

}  // namespace penstock
