// A Parquet file as pages: column chunks as they are stored, for readers that decode on devices.
#pragma once
#include <memory>

#include "codec/pages/paged_table.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// Has all columns of the file, with the types of scan_parquet(). Uses the footer and reads no page.
std::shared_ptr<const pages::PagedTable> paged_table(std::shared_ptr<const ParquetFile> file);

}  // namespace penstock::io
