// Group-bys for keys of known ranges: a group's slot is computed from its keys.
//
// DenseGroupBy has one table, in parts that local memory holds, or in global memory
// (group_dense.kc). PartitionedGroupBy is for tables of many such parts: rows become records, which
// are sorted into partitions first (group_partitions.kc, group_partition_tables.kc).
#pragma once
#include "exec/kernel/group_by_tables.hpp"

namespace penstock::plan {

// The memory of the one table that both kinds have.
struct DenseTableMemory : GroupByResults {
  BufferPointer layout;  // DenseLayout::numbers of the chunk's launch
  BufferPointer limbs;   // of all slots' sums

 protected:
  Status prepare_table(const TileContext& kernel, std::uint64_t row_count);
  void describe_results(const TileContext& kernel, std::uint64_t row_count);
};

struct DenseGroupBy : DenseTableMemory {
  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

// Sums that hold every value are kept from launch to launch. With many groups each chunk would
// leave most of them, and merging these takes as long as adding up the chunk. If memory is short
// for the sums of every layout of a run, launches leave entries instead, as in other group-bys.
struct PartitionedGroupBy : DenseTableMemory {
  BufferPointer heads, records;  // of a record: its slot in its partition; its words
  BufferPointer partitions;      // u32: counts, records taken, first records

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);

 private:
  Status enqueue_sums(const TileContext& kernel, const TileLaunch& launch,
                      const BufferPointer& sums);
  bool is_kept_ = false;  // the sums of the launch
};
// Returns how many work groups make entries of a table.
std::uint32_t collecting_groups(const Policy& policy, std::uint64_t slots);
// Enqueues the kernels that make entries of sums that launches left, and returns their place.
Result<GroupByResults> entries_of(const KeptSums& sums, Device& device, Queue& queue);

}  // namespace penstock::plan
