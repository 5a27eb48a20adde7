// The interface of strategies: the view of a tile kernel that they share, and one launch.
//
// A strategy is a struct with the device memory of one chunk in flight and two functions. prepare()
// makes the memory large enough for a chunk; enqueue() adds the launches of the kernel to a queue.
// Strategies: compaction.hpp, reduction.hpp, group_by_tables.hpp, dense_group_by.hpp,
// partitioned_group_by.cpp. chunk_buffers.hpp holds the strategy of a kernel's algorithm.
#pragma once
#include <initializer_list>
#include <memory>
#include <vector>

#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/variants.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

using BufferPointer = std::shared_ptr<Buffer>;

// The layout of a dense table of groups: see dense_ranges.hpp.
struct DenseLayout {
  DenseTable table;
  BufferPointer numbers;  // the table's words on the device; then a PartitionShape's
};

// The sums of a dense table that stay from launch to launch (group_partition_tables.kc), and the
// program that makes entries of them.
struct KeptSums {
  std::shared_ptr<Program> compiled;
  BufferPointer layout, limbs;
  DenseTable table;
  std::uint64_t row_count = 0;          // no fewer than were added
  std::uint32_t collecting_groups = 0;  // of the launch that makes entries
  std::uint64_t entry_bytes = 0;
};

// The tables of a group-by that stay from launch to launch. The queue orders the launches that use
// them.
struct KeptTables {
  // For the threads of a CPU (group_kept.kc).
  BufferPointer states, positions, entries;
  std::uint64_t row_count = 0;               // added since the tables were emptied
  std::uint32_t table_count = 0, slots = 0;  // none before the first launch
  // One for each layout of kept sums. Launches add to the last one while they have its layout.
  std::vector<KeptSums> sums;
};

// The parts of a tile kernel that strategies read. All of them outlive it.
struct TileContext {
  Device& device;
  const TileProgram& program;
  const Policy& policy;
  const TableSize& size;  // of tables that hash keys
  Algorithm algorithm;
  const DenseLayout& dense;
  KeptTables& kept;
  bool runs_alone;             // each launch is a whole run
  std::uint64_t memory_bytes;  // of the device, for this run

  std::uint32_t tile_count(std::uint64_t row_count) const;
  // Returns the number of groups that walk the tiles of a chunk.
  std::uint32_t group_count(std::uint64_t row_count) const;
  // Replaces a buffer that is too small; keeps one that is large enough.
  Status reserve(BufferPointer& buffer, std::uint64_t bytes) const;
};

// One chunk's launch.
struct TileLaunch {
  Queue& queue;
  const std::shared_ptr<Program>& compiled;
  std::vector<Argument> source;  // the arguments of $PARAMETERS: columns, lookups, scalars
  std::uint64_t row_count = 0;
  const BufferPointer& fault;       // u32: see ChunkBuffers
  const BufferPointer& overflowed;  // u32: see ChunkBuffers

  Status run(const char* kernel, std::uint32_t groups,
             const std::vector<Argument>& arguments) const {
    return queue.launch(*compiled, kernel, groups, arguments);
  }
  // Sets counters (u32 each) to zero.
  Status clear(std::initializer_list<const BufferPointer*> counters) const {
    for (const BufferPointer* counter : counters) PENSTOCK_TRY(queue.fill(**counter, 0, 4));
    return {};
  }
};

// Appends buffers to the arguments of a launch.
inline void add(std::vector<Argument>& arguments, const std::vector<BufferPointer>& buffers) {
  for (const BufferPointer& buffer : buffers) arguments.push_back(Argument::of(*buffer));
}
inline void add(std::vector<Argument>& arguments,
                std::initializer_list<const BufferPointer*> buffers) {
  for (const BufferPointer* buffer : buffers) arguments.push_back(Argument::of(**buffer));
}

}  // namespace penstock::plan
