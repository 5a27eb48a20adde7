// Decodes a Parquet file ahead of the reader of its batches.
//
// Work is cut into parts: the rows of one column that lie in one row group and one batch. Threads
// take parts in the order of rows, so that all threads are busy for any number of row groups per
// batch or batches per row group. At most `window` batches are decoded ahead, which bounds the
// memory.
#pragma once
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

Result<std::unique_ptr<BatchStream>> scan_parquet(std::shared_ptr<const ParquetFile> file,
                                                  std::span<const std::uint32_t> columns,
                                                  const ScanOptions& options);

}  // namespace penstock::io
