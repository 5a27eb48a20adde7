// A Parquet file's statistics of all values of a column, and checks that they are true.
#pragma once
#include "io/parquet/parquet_known_bounds.hpp"

namespace penstock::io {

// Returns the footer's statistics. Floats have no extremes there, as NaN may be among them, and
// strings have none, as they may be cut. May throw what Parquet throws.
Result<ColumnStatistics> parquet_statistics(const ParquetFile& file, const KnownBounds& known,
                                            std::uint32_t column);
// Returns how many rows are NULL, counted by several threads; nullopt where pages are damaged.
std::optional<std::uint64_t> parquet_null_count(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column);

// Returns bounds of a column that hold for some rows, and for the other rows of their row groups.
// Returns nullopt for floats and strings, or if a row group has no bounds. May throw what Parquet
// throws.
std::optional<ValueBounds> parquet_value_bounds(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column, RowRange rows);

// The smallest and the largest value of a column chunk.
struct ExactExtremes {
  OrderedValue lowest, highest;
};
// Returns the extremes that the footer states, if they are values and not mere bounds. May throw
// what Parquet throws.
std::optional<ExactExtremes> exact_extremes(const ParquetFile& file, int row_group,
                                            const ParquetColumn& column);

// Reads columns, and compares their statistics, page indices and bloom filters with the values.
// Code::corrupt where they differ, with column, row group and row.
Status check_parquet_statistics(std::shared_ptr<const ParquetFile> file,
                                std::span<const std::uint32_t> columns);

}  // namespace penstock::io
