#include "base/parallel.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace penstock {

void run_in_parallel(std::uint64_t count, std::uint64_t least,
                     void (*call)(const void* work, std::uint64_t first, std::uint64_t last),
                     const void* work) {
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t pieces =
      std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(least, 1), 1, cores);
  std::vector<std::future<void>> others;
  const auto range = [=](std::uint64_t piece) {
    call(work, count * piece / pieces, count * (piece + 1) / pieces);
  };
  for (std::uint64_t piece = 1; piece < pieces; piece++)
    others.push_back(std::async(std::launch::async, range, piece));
  range(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace penstock
