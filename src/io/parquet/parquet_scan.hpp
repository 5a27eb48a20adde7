// Decodes a Parquet file ahead of whoever reads its batches.
//
// Work is cut into pieces (what one row group gives to one batch, for one column) that threads take
// in the order of rows, so that any number of row groups a batch, or batches a row group, keeps all
// threads busy. At most `window` batches are decoded ahead of the reader; that bounds the memory.
#pragma once
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

Result<std::unique_ptr<BatchStream>> scan_parquet(std::shared_ptr<const ParquetFile> file,
                                                  std::span<const std::uint32_t> columns,
                                                  const ScanOptions& options);

}  // namespace penstock::io
