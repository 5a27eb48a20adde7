// Work on ranges of rows by as many threads as there are cores.
#pragma once
#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace penstock {

// Calls work(first, last) for ranges that cover [0, count), none shorter than `least` but for the last; returns when all are done.
template <class Work> void in_parallel(std::uint64_t count, std::uint64_t least, const Work& work) {
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t pieces = std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(least, 1), 1, cores);
  std::vector<std::future<void>> others;
  const auto range = [&work, pieces, count](std::uint64_t piece) { work(count * piece / pieces, count * (piece + 1) / pieces); };
  for (std::uint64_t piece = 1; piece < pieces; piece++) others.push_back(std::async(std::launch::async, range, piece));
  range(0);
  for (std::future<void>& other : others) other.get();      // what one throws is thrown here
}

}  // namespace penstock
