// Checks the footer's claims about a column chunk against each other.
#pragma once
#include <optional>

#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// Returns where a chunk is in its file; nullopt if that is not within the file.
std::optional<arrow::io::ReadRange> range_of(const ParquetFile& file,
                                             const parquet::ColumnChunkMetaData& chunk);
// Returns Code::corrupt if a chunk lies outside the file, has another number of values than its row
// group has rows, has values of another type than the schema says, or two sizes without
// compression. Nothing of such a chunk is believed or decoded. A row group without rows always
// passes: it makes no claims.
Status check_chunk(const ParquetFile& file, const parquet::RowGroupMetaData& group,
                   const parquet::ColumnChunkMetaData& chunk, int leaf);

}  // namespace penstock::io
