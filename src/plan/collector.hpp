// Takes what a tile kernel left of each chunk, in order, and makes the result table.
//
// One collector an epilogue. read() enqueues the downloads whose size is known and is called right after the kernel; take()
// runs when the chunk's event has happened.
#pragma once
#include <memory>
#include <vector>

#include "plan/chunk_stream.hpp"
#include "plan/tile_kernel.hpp"

namespace penstock::plan {

// A chunk in flight.
struct Chunk {
  ChunkMemory memory;
  Slot slot;
  std::vector<std::uint64_t> words;       // what read() downloads to
  std::vector<std::uint32_t> counts;
  std::uint32_t fault = no_fault, overflowed = 0;
  std::shared_ptr<Event> begun, done, read;   // before and after the kernels, and after the downloads
};

class Collector {
 public:
  virtual ~Collector() = default;
  virtual Status read(Queue& queue, const TileKernel& kernel, Chunk& chunk) = 0;
  virtual Status take(Queue& queue, const TileKernel& kernel, Chunk& chunk) = 0;
  virtual Result<Table> finish() = 0;
  virtual std::uint64_t row_count() const = 0;            // collected so far
  std::uint64_t bytes_downloaded = 0;
};
std::unique_ptr<Collector> make_collector(const TileProgram& program, StringPool& strings);

}  // namespace penstock::plan
