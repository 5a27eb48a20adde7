// The pages of a column chunk, decompressed into memory that is used again.
#pragma once
#include <parquet/column_reader.h>

#include <memory>

#include "io/common/batch_memory.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

struct Pages {
  std::unique_ptr<parquet::PageReader> reader;
  bool stay =
      false;  // what holds a page has its bytes; else they are there until the next page comes
};

// Snappy is decompressed by us (snappy_decode.hpp), all else by Arrow; headers and checksums are
// always Arrow's to read. Throws what Parquet throws, as do the pages.
Pages open_pages(const ParquetFile& file, int row_group, int leaf,
                 const std::shared_ptr<BatchMemory>& memory);

}  // namespace penstock::io
