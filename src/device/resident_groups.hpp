// How many groups of a kernel a device holds at once, for drivers that do not say so. OpenCL and
// SYCL report the local memory of a group alone. A multiprocessor of NVIDIA's has several times
// that, which its groups share.
#pragma once
#include <algorithm>

#include "device/architecture.hpp"

namespace penstock::device {

// Returns the local memory of a multiprocessor, in bytes, and what each group takes beyond what it
// asks for. Where the architecture is not known: that of one group, and 0. Source: CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability".
struct LocalMemory {
  std::uint64_t multiprocessor_bytes = 0, bytes_per_group = 0;
};
inline LocalMemory local_memory_of(const Traits& traits) {
  constexpr std::uint64_t kib = 1 << 10;
  switch (architecture_number(traits)) {
    case 70:
    case 72: return {96 * kib, 0};
    case 75: return {64 * kib, 0};
    case 80:
    case 87: return {164 * kib, kib};
    case 86:
    case 89:
    case 120:
    case 121: return {100 * kib, kib};
    case 90:
    case 100:
    case 103:
    case 110: return {228 * kib, kib};
    default: return {traits.local_bytes, 0};
  }
}

// Returns how many groups of `local_bytes` a multiprocessor has local memory for. 0: not one.
inline std::uint64_t groups_by_local_memory(const Traits& traits, std::uint64_t local_bytes) {
  const LocalMemory memory = local_memory_of(traits);
  return memory.multiprocessor_bytes /
         std::max<std::uint64_t>(1, local_bytes + memory.bytes_per_group);
}

// Returns how many groups a device holds at once by their threads and local memory. Registers are
// not counted: no driver but CUDA's says them. A multiprocessor is taken to hold 2,048 threads, as
// most do. A core of a CPU runs one group; four a core balance groups of different length.
inline std::uint32_t resident_groups_by_size(const Traits& traits, std::uint32_t group_size,
                                             std::uint64_t local_bytes) {
  constexpr std::uint32_t max_threads = 2048, max_groups = 16;  // of a multiprocessor
  if (traits.is_cpu) return traits.compute_units * 4;
  std::uint64_t groups =
      std::clamp<std::uint64_t>(max_threads / std::max(1u, group_size), 1, max_groups);
  if (local_bytes > 0)
    groups = std::clamp<std::uint64_t>(groups_by_local_memory(traits, local_bytes), 1, groups);
  return static_cast<std::uint32_t>(groups) * traits.compute_units;
}

// Returns how many registers a thread can have where a multiprocessor of NVIDIA's is to hold so
// many groups at once: of 65,536, by eights, and 255 at most.
inline std::uint32_t registers_of_thread(std::uint32_t group_size,
                                         std::uint32_t groups_per_multiprocessor) {
  const std::uint32_t threads = (group_size + 31) / 32 * 32 * groups_per_multiprocessor;
  return std::clamp((64u << 10) / std::max(1u, threads) / 8 * 8, 16u, 255u);
}

}  // namespace penstock::device
