// A Parquet file as pages: column chunks as they are stored, for readers that decode on devices.
#pragma once
#include <memory>

#include "codec/pages/paged_table.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// Columns are those of the file, types as scan_parquet() reads them. Footer only: reads nothing.
std::shared_ptr<const pages::PagedTable> paged_table(std::shared_ptr<const ParquetFile> file);

}  // namespace penstock::io
