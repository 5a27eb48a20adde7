// The kernel by which a GPU copies from the memory of its peers over NVLink. A test runs it as C++.
#pragma once
#include <algorithm>
#include <cstdint>

#include "penstock/device.hpp"

namespace penstock::cuda {

#define PENSTOCK_CUDA_TEXT(...) __VA_ARGS__
#include "device/cuda/peer_kernel.inc"
#undef PENSTOCK_CUDA_TEXT

static_assert(sizeof(PeerCopies) <= 4096, "the most that a launch of CUDA takes as parameters");

// Returns the source of `copy_from_peers`. Its only parameter is PeerCopies.
const ProgramSource& peer_kernel_source();

// Each copy gets as many groups as the longest copy has parts. The limit keeps the idle groups of
// short copies from costing time. A thousand groups keep a GPU's link busy.
inline std::uint32_t groups_of_copies(std::size_t count, std::uint64_t max_bytes) {
  constexpr std::uint64_t max_groups = 1 << 15;
  const std::uint64_t parts = (max_bytes + peer_part_bytes - 1) / peer_part_bytes;
  return static_cast<std::uint32_t>(count * std::min(parts, max_groups / count));
}

}  // namespace penstock::cuda
