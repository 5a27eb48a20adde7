// Collects the rows that a compaction keeps in device memory: the right side of a join.
#pragma once
#include "exec/collect/collector.hpp"
#include "exec/kernel/lookup_memory.hpp"
#include "table/join/bucketed_rows.hpp"

namespace penstock::plan {

// Where a run leaves its rows.
struct RowsOnDevice {
  std::shared_ptr<RowKernels> kernels;
  std::uint64_t limit_bytes = 0;  // that they may take
  DeviceRows rows;
  bool must_fit = false;   // Code::no_memory where they do not
  bool are_there = false;  // set by a run; false: memory was too small, and the host has them
  // The outputs that are keys: the host has rows by buckets of these then. None: as a table.
  Columns bucket_keys;
  std::shared_ptr<BucketedRows> buckets;
};

// Returns whether a program's rows can be left in device memory, and makes its kernel write all of
// their columns: late ones too, strings as codes.
bool write_rows_on_device(TileProgram& program, const Traits& traits);

// Where memory is too small the rows come to the host, and finish() returns them if they have no
// buckets. `source_rows`: of all chunks, or 0 where that is not known. Appends on `queue`, which
// wrote the chunks.
std::unique_ptr<Collector> make_device_rows_collector(const TileProgram& program,
                                                      StringPool& strings, const BuildSides* sides,
                                                      RowsOnDevice& to, Queue& queue,
                                                      std::uint64_t source_rows);

}  // namespace penstock::plan
