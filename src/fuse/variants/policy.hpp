// The numbers of a kernel, which a variant chooses for a device.
#pragma once
#include <cstdint>

namespace penstock::plan {

// Plain data: passed to kernels as compile-time defines.
struct Policy {
  std::uint32_t group_size = 256;
  // Groups of four rows that a thread loads before it uses the first.
  std::uint32_t vectors = 4;
  // With groups of more than one thread: group_size * vectors * 4.
  std::uint32_t tile_rows = 4096;
  std::uint32_t groups = 0;  // launched at most; 0: one a tile
  // group: keys that a work group can hold. Tables that hash may be smaller, or have more: see
  // TableSize.
  std::uint32_t slots = 64;
  // group with a dense table: it is in global memory, and `slots` in local memory come before it.
  bool in_global = false;
  // group with a dense table in local memory: a word per accumulator. Carries go to global memory.
  bool is_narrow = false;
  // group in partitions: the most partitions, of slots of which `slots` are in local memory at
  // once.
  std::uint32_t partitions = 0;
  std::uint32_t counters = 0;      // group in partitions: words in local memory that count a tile
  std::uint32_t counted_rows = 1;  // group in partitions: rows that a thread loads before counting
  std::uint32_t limb_words = 0;    // group in local memory: words of 32 bits for sums
  std::uint32_t depth = 3;         // look-back: tiles between reading and writing
  // look-back: counts of other groups that a lane adds up: (groups - 1) / 32, rounded up.
  std::uint32_t window = 1;
  // one pass: all groups fit the device at once, and take tiles in turn rather than by ticket.
  bool in_turn = false;
  // With launch bounds: groups that registers must leave room for.
  std::uint32_t groups_per_multiprocessor = 1;

  bool operator==(const Policy&) const = default;
};

// The size of a table that hashes the keys of groups: arguments of its kernel, so that another size
// is the same program.
struct TableSize {
  std::uint32_t slots = 0;
  // group in local memory:
  std::uint32_t positions = 0;  // of the hash table
  std::uint32_t copies = 1;     // of each accumulator, for threads that meet the same key

  bool operator==(const TableSize&) const = default;
};

}  // namespace penstock::plan
