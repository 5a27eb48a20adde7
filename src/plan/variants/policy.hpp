// The numbers of a kernel that a variant chooses per device.
#pragma once
#include <cstdint>

namespace penstock::plan {

// Plain data: passed to kernels as compile-time defines.
struct Policy {
  std::uint32_t group_size = 256;
  std::uint32_t vectors = 4;  // groups of four rows that a work item loads before it uses the first
  std::uint32_t tile_rows =
      4096;  // rows a tile; with groups of more than one item: group_size * vectors * 4
  std::uint32_t groups = 0;  // launched at most; 0: one a tile
  std::uint32_t slots = 64;  // group: keys a work group can hold
  bool in_global =
      false;  // group with a dense table: in global memory, `slots` in local memory stand before it
  std::uint32_t partitions =
      0;  // group in partitions of slots, `slots` at a time in local memory: at most
  std::uint32_t counters =
      0;  // group in partitions: words in local memory that count a tile's rows
  std::uint32_t counted_rows =
      1;  // group in partitions: rows that a work item loads before it counts the first
  std::uint32_t copies =
      1;  // group in local memory: of each accumulator, for items that meet the same key
  std::uint32_t depth = 3;  // look-back: tiles between reading and writing
  std::uint32_t window =
      1;  // look-back: counts of other groups that a lane adds up: (groups - 1) / 32, rounded up
  std::uint32_t groups_per_multiprocessor =
      1;  // CUDA: groups that registers must leave room for on a multiprocessor
};

}  // namespace penstock::plan
