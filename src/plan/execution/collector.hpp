// Takes what a tile kernel left of each chunk, in order, and makes the result table.
//
// One collector an epilogue. read() enqueues the downloads whose size is known and is called right
// after the kernel; take() runs when they are done. Neither waits for the kernels of a later chunk.
#pragma once
#include <memory>
#include <vector>

#include "plan/execution/chunk_stream.hpp"
#include "plan/execution/read_back.hpp"
#include "plan/execution/tile_kernel.hpp"
#include "plan/join/build_side.hpp"

namespace penstock::plan {

// A chunk in flight.
struct Chunk {
  ChunkMemory memory;
  ChunkBuffers buffers;
  ReadBack read_back;
  std::span<const std::uint32_t> fault;  // one; with the rest, what read() asked for
  std::span<const std::uint64_t> words;
  std::span<const std::uint32_t> counts, overflowed;
  std::shared_ptr<Event> begun, done;  // before and after the kernels
};

class Collector {
 public:
  virtual ~Collector() = default;
  virtual Status read(const TileKernel& kernel, Chunk& chunk) = 0;
  virtual Status take(const TileKernel& kernel, Chunk& chunk) = 0;
  virtual Result<Table> finish() = 0;
  virtual std::uint64_t row_count() const = 0;  // collected so far
  std::uint64_t bytes_downloaded = 0;
};

// After a chunk's kernels are enqueued and `done` is recorded: enqueues the downloads that the host
// decides by.
Status read_chunk(std::shared_ptr<Device> device, const TileKernel& kernel, Collector& collector,
                  Chunk& chunk);
// Waits for them: whether the chunk can be taken. False: its table of groups was too small.
Result<bool> wait_for_chunk(const TileKernel& kernel, Chunk& chunk);

std::unique_ptr<Collector> make_collector(const TileProgram& program, StringPool& strings,
                                          const BuildSides* sides = nullptr);
// Of a compaction: all rows that the kernel keeps.
std::unique_ptr<Collector> make_row_collector(const TileProgram& program, StringPool& strings,
                                              const BuildSides* sides = nullptr);

}  // namespace penstock::plan
