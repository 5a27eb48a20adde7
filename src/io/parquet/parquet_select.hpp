// Finds the rows of a Parquet file that a condition needs, by the footer's statistics, the page
// index and bloom filters.
#pragma once
#include "io/parquet/parquet_known_bounds.hpp"

namespace penstock::io {

// The condition's columns must be columns that are read. `known` is of the file.
Result<RowSelection> select_parquet_rows(const ParquetFile& file, const KnownBounds& known,
                                         const RowCondition& condition);

}  // namespace penstock::io
