// Runs one tile program over a whole source. A few chunks are in flight, and the host waits only
// for the chunk that it reads next.
#pragma once
#include <memory>
#include <optional>

#include "exec/collect/device_rows_collector.hpp"
#include "exec/kernel/lookup_memory.hpp"
#include "exec/profile/recording.hpp"
#include "exec/scan/paged_scan.hpp"
#include "exec/scan/pair_scan.hpp"
#include "exec/scan/resident_rows.hpp"
#include "table/join/join_partitions.hpp"

namespace penstock::plan {

// State that all programs of a run share. It outlives them.
struct RunContext {
  std::shared_ptr<Device> device;
  const RunOptions* options = nullptr;
  StringPool* strings = nullptr;
  RunReport* report = nullptr;                       // gains a KernelReport and the counts
  Recording* recording = nullptr;                    // may be null
  const BuildSides* sides = nullptr;                 // of the programs' lookups
  std::shared_ptr<pages::PageDecoder> decoder = {};  // of programs that read pages
  Status* refusal = nullptr;  // gets why kernels cannot read a page, where that ends the run
};

// The input of a program.
struct TileInput {
  const TableSource& rows;
  std::uint64_t row_limit = ~std::uint64_t{0};  // compact: enough rows; later chunks are not read
  PairedRows* pairs = nullptr;                  // the rows, where they are these
  const ResidentRows* resident = nullptr;       // the same
  // Of a program with a partitioned lookup, or of the pairs: it reads its rows once for each.
  JoinPartitions* partitions = nullptr;
  // For a program that reads pages: the whole source, and the rows that are needed (null: all).
  const TableSource* paged_source = nullptr;
  const RowSelection* selected = nullptr;
};

// The places where a program's results are merged, and left.
struct TileResults {
  MergeLocation merges = MergeLocation::automatic;
  const TopK* first_groups = nullptr;     // of a group-by: see GroupTable::results()
  bool leaves_partials = false;           // see MergePlace
  const Table* wanted_groups = nullptr;   // see MergePlace
  GroupShare* share = nullptr;            // of groups that devices exchange; may be null
  std::optional<RowsOnDevice> stay = {};  // where the rows of a compaction, or groups, may be left
  bool takes_parts = false;               // compact: rows on the host may be in several tables
};

// The part of a program's rows that is read while the device opens: columns, or pages.
struct BegunReading {
  BegunScan columns;
  BegunPages pages;
};
// Runs a program by its kernel, which may still be compiling.
Result<CollectedRows> run_tiles(const RunContext& run, std::unique_ptr<TileKernel> kernel,
                                const TileProgram& program, const TileInput& input,
                                const TileResults& results, BegunReading begun = {});

// Begins the kernel, and runs the program by it. All rows come to the host, so that none may stay.
Result<Table> run_tiles(const RunContext& run, const TileProgram& program,
                        const TableSource& source, const TileResults& results = {});

}  // namespace penstock::plan
