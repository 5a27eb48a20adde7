// The numbers of a kernel, which a variant chooses for a device.
#pragma once
#include <cstdint>

namespace penstock::plan {

// compact_look_back and compact_one_pass, which write tiles behind those that they read.
struct CompactPolicy {
  std::uint32_t depth = 3;  // tiles between reading and writing
  // Look-back: counts of other groups that a lane adds up: (groups - 1) / 32, rounded up.
  std::uint32_t window = 1;
  // One pass: all groups fit the device at once, and take tiles in turn rather than by ticket.
  bool in_turn = false;
  bool operator==(const CompactPolicy&) const = default;
};

// All that group.
struct GroupPolicy {
  // Keys that a work group can hold. Tables that hash may be smaller, or have more: see TableSize.
  std::uint32_t slots = 64;
  bool operator==(const GroupPolicy&) const = default;
};

// group_dense.
struct DensePolicy {
  bool in_global = false;  // the table is in global memory, and slots in local memory before it
  // In local memory: a word per accumulator, and carries go to global memory.
  bool is_narrow = false;
  bool operator==(const DensePolicy&) const = default;
};

// group_partitioned.
struct PartitionPolicy {
  // The most partitions. Their slots are in local memory at once as far as they fit; 0 elsewhere.
  std::uint32_t max_count = 0;
  std::uint32_t counters = 0;      // words in local memory that count a tile
  std::uint32_t counted_rows = 1;  // that a thread loads before counting
  bool operator==(const PartitionPolicy&) const = default;
};

// group_local.
struct LocalPolicy {
  std::uint32_t limb_words = 0;  // of 32 bits in local memory for sums; 0 elsewhere
  bool operator==(const LocalPolicy&) const = default;
};

// Plain data: passed to kernels as compile-time defines. Members that other
// algorithms read have their defaults.
struct Policy {
  std::uint32_t group_size = 256;
  // Groups of four rows that a thread loads before it uses the first.
  std::uint32_t vectors = 4;
  // With groups of more than one thread: group_size * vectors * 4.
  std::uint32_t tile_rows = 4096;
  std::uint32_t groups = 0;  // launched at most; 0: one a tile
  // With launch bounds: groups that registers must leave room for.
  std::uint32_t groups_per_multiprocessor = 1;
  CompactPolicy compact = {};
  GroupPolicy group = {};
  DensePolicy dense = {};
  PartitionPolicy partition = {};
  LocalPolicy local = {};

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
