// The pages of a column chunk, decompressed into memory that is used again.
#pragma once
#include <parquet/column_reader.h>

#include <memory>

#include "io/batch_memory.hpp"
#include "io/parquet_file.hpp"

namespace penstock::io {

// Snappy is decompressed by us (snappy.hpp), all else by Arrow; headers and checksums are always Arrow's to read. Throws what
// Parquet throws, as do the pages.
std::unique_ptr<parquet::PageReader> open_pages(const ParquetFile& file, int row_group, int leaf,
                                                const std::shared_ptr<BatchMemory>& memory);

}  // namespace penstock::io
