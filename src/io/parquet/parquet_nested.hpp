// Lists, structs and maps of a Parquet file. Arrow's reader decodes a row group's leaves; their
// rows become packed values (column/nested).
#pragma once
#include "io/parquet/parquet_decode.hpp"

namespace penstock::io {

// Sets the type of a nested column, or names what of it is not supported.
Status set_nested_type(const parquet::SchemaDescriptor& schema, ParquetColumn& column);
Result<std::unique_ptr<ChunkDecoder>> nested_decoder(const ParquetFile& file, int row_group,
                                                     const ParquetColumn& column);

}  // namespace penstock::io
