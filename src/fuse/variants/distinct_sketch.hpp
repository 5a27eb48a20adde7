// Estimates how many distinct keys a chunk has, from the rows of it that kernels/group_ranges.kc
// reads: HyperLogLog (Flajolet et al.), in two halves.
//
// The halves take tiles in turn. Their overlap tells how many more keys the unread rows have: keys
// that are in both come again, while the other keys are new in every tile. So rows of one key may
// lie together.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace penstock::plan {

class DistinctSketch {
 public:
  static constexpr std::uint32_t registers = 2048;  // of a half: estimates are 2.3 % off
  // A kernel's hash has 32 bits; a register's number takes 11 of them. A run is one bit of the
  // rest: the lowest that is set, or this one if none is.
  static constexpr std::uint32_t last_run = 1u << 21;

  // Adds the words that a kernel left: both halves, one after the other.
  void add(std::span<const std::uint32_t> sketches);
  // Returns how many keys are expected in a chunk if one tile in `stride` was read.
  double expected(std::uint64_t stride) const;

 private:
  std::array<std::uint32_t, 2 * registers> runs_ = {};
};

}  // namespace penstock::plan
