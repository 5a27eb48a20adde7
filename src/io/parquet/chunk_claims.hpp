// What the footer says of a column chunk, against what else it says.
#pragma once
#include <optional>

#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// Returns where a chunk is in its file; nullopt where that is not within the file.
std::optional<arrow::io::ReadRange> range_of(const ParquetFile& file,
                                             const parquet::ColumnChunkMetaData& chunk);
// Returns Code::corrupt where a chunk lies outside the file, has another number of values than its
// row group has rows, values of another type than the schema says, or two sizes without
// compression. Nothing of such a chunk is believed or decoded. Of a row group without rows there is
// nothing to believe.
Status check_chunk(const ParquetFile& file, const parquet::RowGroupMetaData& group,
                   const parquet::ColumnChunkMetaData& chunk, int leaf);

}  // namespace penstock::io
