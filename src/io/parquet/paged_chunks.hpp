// Tells from the footer where the chunks of a column are, and whether they can be read as pages.
#pragma once
#include <vector>

#include "codec/pages/paged_table.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

pages::PagedColumn paged_column(const ParquetFile& file, const ParquetColumn& column);
// Throws what Parquet throws.
std::vector<pages::StoredChunk> footer_chunks(const ParquetFile& file, const ParquetColumn& column);

}  // namespace penstock::io
