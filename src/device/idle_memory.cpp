#include "device/idle_memory.hpp"

#include <algorithm>

namespace penstock::device {

std::uint64_t idle_pinned_limit_bytes(std::uint64_t machine_bytes) {
  constexpr std::uint64_t min_bytes = std::uint64_t{4} << 30, max_bytes = std::uint64_t{16} << 30;
  if (machine_bytes == 0) return min_bytes;  // not known
  return std::min(std::clamp(machine_bytes / 16, min_bytes, max_bytes), machine_bytes / 2);
}

}  // namespace penstock::device
