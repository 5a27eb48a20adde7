// Blocks of memory in huge pages that are used again while a run is in work. The system clears
// each fresh page: 39 % of the samples of TPC-DS's slow statements on two busy cores did so.
#pragma once
#include <cstddef>

namespace penstock {

// Returns at least `bytes`, aligned to a huge page, uninitialised. Throws std::bad_alloc.
void* take_large_block(std::size_t bytes);
// `bytes` as they were asked for.
void give_back_large_block(void* memory, std::size_t bytes) noexcept;

// While one lives, blocks that are given back are kept for the next taker. The last one to end
// frees all but `bytes_between_runs`. Without one they are freed at once.
class LargeBlocksOfRun {
 public:
  LargeBlocksOfRun();
  ~LargeBlocksOfRun();
  LargeBlocksOfRun(const LargeBlocksOfRun&) = delete;
  LargeBlocksOfRun& operator=(const LargeBlocksOfRun&) = delete;

  static constexpr std::size_t bytes_between_runs = std::size_t{256} << 20;
};

std::size_t idle_large_block_bytes();

}  // namespace penstock
