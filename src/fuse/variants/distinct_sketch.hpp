// An estimate of how many keys of a chunk differ, from the rows that kernels/group_ranges.kc reads
// of it: HyperLogLog (Flajolet et al.), in two halves.
//
// The halves are of tiles in turn. What they have in common tells how many more keys the rows have
// that were not read: keys that are the same in both come again, and others are new in every tile.
// So rows of one key may lie together.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace penstock::plan {

class DistinctSketch {
 public:
  static constexpr std::uint32_t registers = 2048;  // of a half: estimates are 2.3 % off
  // A kernel's hash has 32 bits, of which a register's number takes 11. A run is one bit of the
  // others, the lowest that is set; where none is, this one.
  static constexpr std::uint32_t last_run = 1u << 21;

  // Adds the words that a kernel left: both halves, one after the other.
  void add(std::span<const std::uint32_t> sketches);
  // Returns how many keys are expected in a chunk of which a tile in `stride` was read.
  double expected(std::uint64_t stride) const;

 private:
  std::array<std::uint32_t, 2 * registers> runs_ = {};
};

}  // namespace penstock::plan
