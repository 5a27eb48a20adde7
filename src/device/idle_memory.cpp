#include "device/idle_memory.hpp"

#include <algorithm>

#include "base/machine_memory.hpp"

namespace penstock::device {

std::uint64_t idle_pinned_limit_bytes(std::uint64_t machine_bytes) {
  constexpr std::uint64_t least_bytes = std::uint64_t{4} << 30;
  if (machine_bytes == 0) return least_bytes;  // not known
  return std::max(machine_bytes / 4, std::min(least_bytes, machine_bytes / 2));
}

std::shared_ptr<IdleMemory> idle_pinned_memory() {
  static const auto& idle = *new std::shared_ptr<IdleMemory>(
      std::make_shared<IdleMemory>(idle_pinned_limit_bytes(machine_memory_bytes())));
  return idle;
}

}  // namespace penstock::device
