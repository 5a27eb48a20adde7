// Adds up groups of DISTINCT values by the keys before the value, on the device: a second group-by,
// or a reduction if there are no keys, over groups that lie in device memory.
//
// The groups become columns (kernels/group_columns.kc), which a tile program reads as it reads any
// chunk. Its variant is a row of the variant table. GroupTable::add_distinct() does the same on the
// host.
#pragma once
#include <memory>

#include "exec/collect/collector.hpp"
#include "exec/kernel/exec_kernels.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// Returns the program that adds up the groups of a program with `of_distinct`. Its source has the
// keys of that program as columns: the step's keys, then the value.
TileProgram totals_program(const TileProgram& groups);

class DistinctTotals {
 public:
  // Begins to compile. `groups` is the program that yields the groups; `first`: as for
  // make_collector().
  static Result<std::unique_ptr<DistinctTotals>> begin(const MergePlace& place,
                                                       const TileProgram& groups,
                                                       const ProgramStrings& strings,
                                                       const TopK* first);

  // Adds up all groups, and waits. Returns false if memory is too small. Call it once.
  Result<bool> add(const GroupsOnDevice& groups);
  Result<Table> finish() { return collector_->finish(); }
  std::uint64_t bytes_downloaded() const { return collector_->bytes_downloaded; }
  void add_to(RunReport& report) const;

 private:
  DistinctTotals(const MergePlace& place, const ProgramStrings& strings)
      : place_(place),
        strings_(strings),
        of_columns_(place.device, exec_kernels("group_columns")) {}
  Status add_pieces(const GroupsOnDevice& groups);
  Status make_columns(const GroupsOnDevice& groups, std::uint64_t first, std::uint64_t count);
  Status make_values(const GroupsOnDevice& groups, std::uint64_t first, std::uint64_t count,
                     std::uint32_t column, const Buffer& to);
  Status make_bits(const GroupsOnDevice& groups, std::uint64_t first, std::uint64_t count,
                   std::uint32_t word, std::uint32_t bit, bool is_flipped, const Buffer& to);
  Status run_kernel();
  Status launch(std::string_view kernel, std::uint64_t count, std::vector<Argument> arguments);

  MergePlace place_;
  const ProgramStrings strings_;
  std::unique_ptr<TileKernel> kernel_;
  std::unique_ptr<Collector> collector_;
  RowKernels of_columns_;  // make them
  Chunk chunk_;
  KernelFigures figures_;
};

}  // namespace penstock::plan
