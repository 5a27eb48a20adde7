// Counts the NULLs of a column chunk, whatever the footer says of them.
//
// Rows are left out for their NULLs, and counted, by this count alone: writers have got theirs
// wrong. It costs the decompression of the chunk's pages. No value is decoded.
#pragma once
#include <cstdint>

#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// May throw what Parquet throws.
Result<std::uint64_t> count_nulls(const ParquetFile& file, int row_group,
                                  const ParquetColumn& column);

}  // namespace penstock::io
