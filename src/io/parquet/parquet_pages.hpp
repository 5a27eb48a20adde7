// Reads the pages of a column chunk and decompresses them into memory that is used again.
#pragma once
#include <parquet/column_reader.h>

#include <memory>

#include "io/common/batch_memory.hpp"
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/row_ranges.hpp"

namespace penstock::io {

struct Pages {
  std::unique_ptr<parquet::PageReader> reader;
  // Whether a page owns its bytes; else they are valid until the next page is read.
  bool own_bytes = false;
  RowRanges rows;  // of the row group, in the pages that the reader yields
};

// Our decoder (snappy_decode.hpp) decompresses Snappy, Arrow all else. Arrow reads headers and
// checksums. Throws what Parquet throws, and so does reading the pages. Pages without any of
// `rows`, which are numbered from the row group's first, are left out where the file has an offset
// index.
Pages open_pages(const ParquetFile& file, int row_group, int leaf, const RowRanges& rows,
                 const std::shared_ptr<BatchMemory>& memory);

// Returns the range of a chunk in the file, with what old writers leave out of its length. Throws
// where it lies outside the file.
arrow::io::ReadRange padded_range(const ParquetFile& file,
                                  const parquet::ColumnChunkMetaData& chunk);
// Tells whether pages of version 2 are compressed though their headers say that they are not.
bool always_compresses(const parquet::ApplicationVersion& writer);

}  // namespace penstock::io
