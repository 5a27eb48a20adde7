// Collects the rows that a compaction keeps in device memory: the right side of a join.
#pragma once
#include <functional>

#include "exec/collect/collector.hpp"
#include "exec/kernel/lookup_memory.hpp"

namespace penstock::plan {

// The device memory in which a run may leave its rows.
struct RowsOnDevice {
  std::shared_ptr<RowKernels> kernels;
  std::uint64_t limit_bytes = 0;  // that they may take
  bool must_fit = false;          // Code::no_memory where they do not
  // The outputs that are keys: rows that do not fit come to the host by buckets of these. None:
  // they come as a table.
  Columns bucket_keys = {};
};

// Returns whether a program's rows can be left in device memory. If so, makes its kernel write all
// of their columns: late ones too, strings as codes. is_small(lookup): its right side has few rows.
// Rows of groups are made by other kernels.
bool write_rows_on_device(TileProgram& program, const Traits& traits,
                          const std::function<bool(int lookup)>& is_small);

// If memory is too small, the rows come to the host, as a table or by buckets. `source_rows`: of
// all chunks, or 0 where that is not known. Appends on `queue`, which wrote the chunks.
std::unique_ptr<Collector> make_device_rows_collector(const TileProgram& program,
                                                      const ProgramStrings& strings,
                                                      const BuildSides* sides,
                                                      const RowsOnDevice& to, Queue& queue,
                                                      std::uint64_t source_rows);

}  // namespace penstock::plan
