// The device memory of one chunk in flight.
//
// It is reused for later chunks, so that a stream of chunks allocates nothing after its first few.
#pragma once
#include <variant>

#include "exec/kernel/compaction.hpp"
#include "exec/kernel/dense_group_by.hpp"
#include "exec/kernel/group_by_tables.hpp"
#include "exec/kernel/reduction.hpp"

namespace penstock::plan {

using Strategy = std::variant<Compaction, Reduction, PrivateGroupBy, KeptGroupBy, LocalGroupBy,
                              GlobalGroupBy, DenseGroupBy, PartitionedGroupBy>;

// The scalars of a program if they are packed: as scalar_loads() reads them. The host's copy
// lives as long as the chunk, so that the upload may be asynchronous.
struct PackedScalars {
  BufferPointer memory;
  std::vector<std::uint64_t> words;
};

struct ChunkBuffers {
  Strategy strategy;  // of the last launch: a group-by's may differ from the next chunk's
  PackedScalars scalars;
  BufferPointer fault;          // u32: the smallest fault number, ~0 when there is none
  BufferPointer overflowed;     // group: u32, not 0 if a table was full, or could not hold a value
  bool fault_is_clear = false;  // a run ends at its first fault, so that once is enough
  std::uint32_t attempt = 0;    // of the last launch: TileKernel::attempts()

  // Makes `strategy` the one of an algorithm. Keeps its memory if it is that one already.
  void select(Algorithm algorithm);
  const Compaction& compaction() const { return std::get<Compaction>(strategy); }
  const Reduction& reduction() const { return std::get<Reduction>(strategy); }
  const GroupByResults& group_by() const;
};

}  // namespace penstock::plan
