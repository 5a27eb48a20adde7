// Finds the rows of a Parquet file that a condition needs, by the footer's statistics, the page
// index and bloom filters.
#pragma once
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/row_ranges.hpp"

namespace penstock::io {

// The condition's columns must be columns that are read.
Result<RowSelection> select_parquet_rows(const ParquetFile& file, const RowCondition& condition);

}  // namespace penstock::io
