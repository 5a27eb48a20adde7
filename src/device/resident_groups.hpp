// The number of groups of a kernel that a device holds at once, for drivers that do not report it.
// OpenCL and SYCL report only the local memory of a group. An NVIDIA multiprocessor has several
// times as much, shared by its groups.
#pragma once
#include <algorithm>
#include <string_view>

#include "device/architecture.hpp"

namespace penstock::device {

// The resources that groups on a multiprocessor share: threads, and bytes of local memory. Each
// group takes `bytes_per_group` beyond its request.
struct Multiprocessor {
  std::uint64_t local_bytes = 0, bytes_per_group = 0;
  std::uint32_t threads = 2048;
};
// Returns the resources of NVIDIA's architectures. Source: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability". For other devices: the local memory of one group, and
// 2,048 threads.
inline Multiprocessor multiprocessor_of(const Traits& traits) {
  constexpr std::uint64_t kib = 1 << 10;
  switch (architecture_number(traits)) {
    case 70:
    case 72: return {96 * kib, 0};
    case 75: return {64 * kib, 0, 1024};
    case 80: return {164 * kib, kib};
    case 87: return {164 * kib, kib, 1536};
    case 86:
    case 89:
    case 120:
    case 121: return {100 * kib, kib, 1536};
    case 90:
    case 100:
    case 103: return {228 * kib, kib};
    case 110: return {228 * kib, kib, 1536};
    default: return {traits.local_bytes, 0};
  }
}

// Returns how many groups of `local_bytes` a multiprocessor has local memory for. 0: not one.
inline std::uint64_t groups_by_local_memory(const Traits& traits, std::uint64_t local_bytes) {
  const Multiprocessor all = multiprocessor_of(traits);
  return all.local_bytes / std::max<std::uint64_t>(1, local_bytes + all.bytes_per_group);
}

// Returns how many groups a device holds at once, for drivers that do not report it. Registers are
// not counted. If launch bounds do not limit them, three or more groups are reduced by one: groups
// that wait for a group that does not fit are a hundred times slower (docs/lab/scan.md). A core of
// a CPU runs one group; four a core balance groups of different length.
inline std::uint32_t resident_groups_by_size(const Traits& traits, std::uint32_t group_size,
                                             std::uint64_t local_bytes) {
  constexpr std::uint64_t max_groups = 16;  // of a multiprocessor, on any device
  if (traits.is_cpu) return traits.compute_units * 4;
  std::uint64_t groups = std::clamp<std::uint64_t>(
      multiprocessor_of(traits).threads / std::max(1u, group_size), 1, max_groups);
  if (local_bytes > 0)
    groups = std::clamp<std::uint64_t>(groups_by_local_memory(traits, local_bytes), 1, groups);
  if (!traits.has_launch_bounds && groups > 2) groups--;
  return static_cast<std::uint32_t>(groups) * traits.compute_units;
}

// Returns how many registers a thread can have if an NVIDIA multiprocessor is to hold this many
// groups at once. It has 65,536; a thread gets a multiple of eight, and at most 255. Groups beyond
// the multiprocessor's threads do not count, as CUDA ignores such launch bounds.
inline std::uint32_t registers_of_thread(std::uint32_t group_size,
                                         std::uint32_t groups_per_multiprocessor) {
  constexpr std::uint32_t registers = 65536, max_threads = 2048;
  const std::uint32_t threads = std::max(32u, (group_size + 31) / 32 * 32);
  const std::uint32_t groups =
      std::clamp(groups_per_multiprocessor, 1u, std::max(1u, max_threads / threads));
  return std::clamp(registers / (threads * groups) / 8 * 8, 16u, 255u);
}

// Returns the register limit that a text's last GROUPS_PER_MULTIPROCESSOR implies; 0 without.
std::uint32_t register_bound(std::string_view text, std::uint32_t group_size);

}  // namespace penstock::device
