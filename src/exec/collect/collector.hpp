// Collectors take the results that a tile kernel left of each chunk, in order, and make the result
// table.
//
// There is one collector for each epilogue. read() enqueues the downloads of known size, right
// after the kernel was enqueued. take() runs once they are done. Neither waits for the kernels of a
// later chunk.
#pragma once
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "exec/groups/group_merge.hpp"
#include "exec/kernel/lookup_memory.hpp"
#include "exec/kernel/read_back.hpp"
#include "exec/kernel/tile_kernel.hpp"
#include "exec/scan/chunk_stream.hpp"
#include "table/join/bucketed_rows.hpp"

namespace penstock::plan {

// A chunk in flight.
struct Chunk {
  ChunkMemory memory;
  ChunkBuffers buffers;
  ReadBack read_back;
  std::span<const std::uint32_t> fault;  // one; downloaded with the rest of read()
  std::span<const std::uint64_t> words;
  std::span<const std::uint32_t> counts, overflowed;
  std::shared_ptr<Event> begun, done;  // before and after the kernels
};

// All rows of a run: on the host, in device memory, on the host by buckets of their keys, or on the
// host as they came, in several tables.
using CollectedRows =
    std::variant<Table, DeviceRows, std::shared_ptr<BucketedRows>, std::vector<Table>>;

class Collector {
 public:
  virtual ~Collector() = default;
  // May give a chunk's kernel the final place of the rows. Called before the chunk is prepared.
  virtual Status place(const TileKernel&, Chunk&) { return {}; }
  virtual Status read(const TileKernel& kernel, Chunk& chunk) = 0;
  virtual Status take(const TileKernel& kernel, Chunk& chunk) = 0;
  // Downloads the results that were left on the device. Call after the last chunk was taken.
  virtual Status take_rest(const TileKernel&) { return {}; }
  // Adds the kernels that the collector ran, and notes of work that the host did for want of
  // memory.
  virtual void add_to(RunReport&) const {}
  // Returns the rows that have stayed in device memory, or are on the host by buckets. Nothing:
  // finish() returns them.
  virtual std::optional<CollectedRows> rows_that_stay() { return {}; }
  // Returns the rows as they came, in place of finish(); none where they are one table.
  virtual std::vector<Table> take_parts() { return {}; }
  virtual Result<Table> finish() = 0;
  virtual std::uint64_t row_count() const = 0;  // collected so far
  std::uint64_t bytes_downloaded = 0;
  double rest_seconds = 0;  // of the kernel's launches for take_rest()
};

// Enqueues the downloads that the host decides by. Call after a chunk's kernels are enqueued and
// `done` is recorded.
Status read_chunk(std::shared_ptr<Device> device, const TileKernel& kernel, Collector& collector,
                  Chunk& chunk);
// Waits for these downloads. Returns whether the chunk can be taken; false: its table of groups was
// too small.
Result<bool> wait_for_chunk(const TileKernel& kernel, Chunk& chunk);

// `first` may be null; it limits the groups that are needed: see GroupTable::results().
std::unique_ptr<Collector> make_collector(const TileProgram& program, const ProgramStrings& strings,
                                          const BuildSides* sides = nullptr,
                                          const MergePlace& merges = {},
                                          const TopK* first = nullptr);
// Returns the collector of a compaction, which takes all rows that the kernel keeps.
std::unique_ptr<Collector> make_row_collector(const TileProgram& program,
                                              const ProgramStrings& strings,
                                              const BuildSides* sides = nullptr);

}  // namespace penstock::plan
