// Group-bys with hash tables: one table per work group in global memory, one per work group in
// local memory, or one table in global memory for all groups.
#pragma once
#include "exec/kernel/tile_strategy.hpp"

namespace penstock::plan {

// The results that every group-by leaves for the host: entries of key words and accumulator words.
struct GroupByResults {
  BufferPointer results;                               // entries of the tables' slots
  BufferPointer used_slots;                            // u32: slots in use, of each table
  std::uint32_t table_count = 0, slots_per_table = 0;  // of the last launch
  // Entries lie slot by slot: first slots of all tables, then their second ones...
  bool is_slot_major = false;
  bool is_in_order = false;  // of the keys, strings by their codes, NULLs last
  // The host reads tables in one download, including entries that no key uses, so these must have
  // been written once.
  bool results_are_set = false;

  // Clears as much of the results as one download may read, once.
  Status clear_results(Queue& queue, std::uint64_t max_bytes);
};

// `group`: one table per work group, and accumulators for every thread of it (group_by.kc).
struct PrivateGroupBy : GroupByResults {
  BufferPointer positions;  // of the hash table: which slot a key has
  BufferPointer keys, scratch;

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

// `group_kept`: one table per work group, which launches share. The results of a launch are the
// entries of tables that it found full.
struct KeptGroupBy : GroupByResults {
  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};
// Returns the entries of the tables after the last launch.
GroupByResults rest_of(const KeptTables& tables);

// `group_local`: a table in the local memory of each work group (group_local.kc).
struct LocalGroupBy : GroupByResults {
  LocalGroupBy() { is_slot_major = true; }
  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

// `group_global`: one table in global memory (group_global.kc).
struct GlobalGroupBy : GroupByResults {
  BufferPointer positions;       // of the hash table: keys and limbs
  BufferPointer used_positions;  // u32: how many of them are used

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

// Tables of groups up to this size are read back in one download, including entries that no key
// uses: a copy costs as much as 100 KB.
constexpr std::uint64_t one_download_bytes = std::uint64_t{1} << 20;

}  // namespace penstock::plan
