// Group-bys of keys whose ranges are known: a group's slot is computed from its keys.
//
// DenseGroupBy has one table, in parts that local memory holds, or in global memory
// (group_dense.kc). PartitionedGroupBy is for tables of many such parts: rows become records, which
// are sorted into partitions first (group_partitions.kc, group_partition_tables.kc).
#pragma once
#include "plan/execution/group_by_tables.hpp"

namespace penstock::plan {

// The memory of the one table that both have.
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

struct PartitionedGroupBy : DenseTableMemory {
  BufferPointer heads, records;  // of a record: its slot in its partition; its words
  BufferPointer partitions;      // u32: counts, records taken, first records

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch);
};

}  // namespace penstock::plan
