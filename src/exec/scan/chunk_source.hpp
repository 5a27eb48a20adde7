// The source of a tile kernel's chunks: columns that the host decodes (chunk_stream.hpp), or pages
// that kernels read (paged_scan.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/run.hpp"

namespace penstock::plan {

struct ChunkMemory;

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  // Reads the next chunk and enqueues its upload; `compute` waits for it on the device. Returns
  // false at the end.
  virtual Result<bool> next(ChunkMemory& memory, Queue& compute) = 0;
  // Checks a chunk that is done, and keeps its columns for the session. Code::corrupt if results
  // were computed from invalid codes.
  virtual Status check(ChunkMemory& memory) = 0;
  virtual std::vector<KernelReport> take_code_reports() = 0;  // once, at the end
  virtual std::uint64_t bytes_uploaded() const = 0;
  virtual std::uint64_t bytes_read_directly() const { return 0; }
  // Says how a source was read, if not in the usual way; "" otherwise.
  virtual std::string note() const { return ""; }
  virtual std::uint64_t columns_from_cache() const { return 0; }  // of a session
  // Rows that a session had kept, and that are read although nothing needs them.
  virtual std::uint64_t rows_besides() const { return 0; }
  virtual double read_seconds() const = 0;  // spent waiting for the source
};

}  // namespace penstock::plan
