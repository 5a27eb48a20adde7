// Runs one tile program over a whole source: chunks stream through a few slots, the host waits only
// for a chunk whose results it reads next.
#pragma once
#include <memory>

#include "plan/execution/collector.hpp"
#include "plan/profile/recording.hpp"

namespace penstock::plan {

struct TileRun {
  std::shared_ptr<Device> device;
  const RunOptions* options = nullptr;
  StringPool* strings = nullptr;
  RunReport* report = nullptr;                  // gains a KernelReport and the counts
  std::uint64_t row_limit = ~std::uint64_t{0};  // compact: enough rows; later chunks are not read
  Recording* recording = nullptr;               // may be null
  const BuildSides* sides = nullptr;            // of the program's lookups, where it has any
};
// `kernel` is the program's, whose compilation may still be under way.
Result<Table> run_tiles(const TileRun& run, std::unique_ptr<TileKernel> kernel,
                        const TileProgram& program, const TableSource& source,
                        BegunScan begun = {});
// The same for a kernel that is not begun yet.
Result<Table> run_tiles(const TileRun& run, const TileProgram& program, const TableSource& source);

// Rows a chunk: options, else what keeps a few chunks within a quarter of the device's memory and
// amortises a launch.
std::uint64_t chunk_rows(const RunOptions& options, const Traits& traits,
                         const TileProgram& program, std::uint64_t row_limit);

}  // namespace penstock::plan
