// The number in the name of a device's architecture, and what is known by it.
#pragma once
#include <algorithm>
#include <charconv>

#include "penstock/device.hpp"

namespace penstock::device {

// Returns 90 for "sm_90"; 0 for other names.
inline int architecture_number(const Traits& traits) {
  int number = 0;
  if (traits.architecture.starts_with("sm_"))
    std::from_chars(traits.architecture.data() + 3,
                    traits.architecture.data() + traits.architecture.size(), number);
  return number;
}

// Returns whether the device's compiler takes PTX instructions of an architecture (inline assembly
// of CUDA C++).
inline bool accepts_ptx(const Traits& traits, int architecture) {
  return traits.target == Target::cuda && architecture_number(traits) >= architecture;
}

// Returns the local memory of a multiprocessor. Drivers tell what one group may have of it:
// NVIDIA's OpenCL says 48 KiB on each of these GPUs (CUDA C++ Programming Guide, compute
// capabilities).
inline std::uint64_t multiprocessor_local_bytes(const Traits& traits) {
  constexpr std::uint64_t kib = 1024;
  switch (architecture_number(traits)) {
    case 70:
    case 72: return 96 * kib;
    case 75: return 64 * kib;
    case 80:
    case 87: return 164 * kib;
    case 86:
    case 89:
    case 120: return 100 * kib;
    case 90:
    case 100:
    case 103: return 228 * kib;
    default: return traits.local_bytes;
  }
}

// Returns how many groups a GPU runs at once, for drivers that do not report it. A multiprocessor
// is assumed to hold 2,048 threads, as most do, and as many groups as its local memory allows.
// NVIDIA's takes 1 KiB more of a group than the group uses.
inline std::uint32_t assumed_resident_groups(const Traits& traits, std::uint32_t group_size,
                                             std::uint64_t local_bytes) {
  std::uint64_t groups = std::clamp<std::uint64_t>(2048 / group_size, 1, 16);
  const std::uint64_t own_bytes = architecture_number(traits) > 0 ? 1024 : 0;
  if (local_bytes > 0)
    groups = std::clamp<std::uint64_t>(
        multiprocessor_local_bytes(traits) / (local_bytes + own_bytes), 1, groups);
  return static_cast<std::uint32_t>(groups) * traits.compute_units;
}

}  // namespace penstock::device
