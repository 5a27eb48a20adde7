#include "base/machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace penstock {
namespace {

// A container sees its own group at the root. Without a limit there is a word, or a huge number.
std::uint64_t group_limit_bytes() {
  std::uint64_t least = ~std::uint64_t{0};
  for (const char* const path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (std::uint64_t bytes = 0; file >> bytes) least = std::min(least, bytes);
  }
  return least;
}

}  // namespace

std::uint64_t machine_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  const auto bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  return std::min(bytes, group_limit_bytes());
}

}  // namespace penstock
