// The bytes of column chunks in host memory.
#pragma once
#include <arrow/io/interfaces.h>

#include <memory>

#include "io/common/batch_memory.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

struct ChunkBytes {
  std::shared_ptr<std::byte> memory;
  std::uint64_t size = 0;  // readers may load whole words beyond it
};

// Returns memory in which small blocks of all files share slabs.
const std::shared_ptr<BatchMemory>& ordinary_memory();
// Reads a range of the file by several threads. `memory` may be empty: ordinary memory then.
Result<ChunkBytes> read_bytes(const ParquetFile& file, arrow::io::ReadRange range,
                              const BatchAllocator& memory);
// Returns memory for a range of which little will be read: zeros, which take no memory until then.
Result<ChunkBytes> bytes_on_demand(arrow::io::ReadRange range);

}  // namespace penstock::io
