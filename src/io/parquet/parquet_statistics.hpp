// What a Parquet file says of all values of a column, and whether it is true.
#pragma once
#include "io/parquet/parquet_known_bounds.hpp"

namespace penstock::io {

// Returns what the footer says. Floats have no extremes there, as NaN may be among them, and
// strings none, as they may be cut. May throw what Parquet throws.
Result<ColumnStatistics> parquet_statistics(const ParquetFile& file, const KnownBounds& known,
                                            std::uint32_t column);
// Returns how many rows are NULL, counted by several threads; nullopt where pages are damaged.
std::optional<std::uint64_t> parquet_null_count(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column);

// Returns bounds of a column in some rows, and in others of their row groups; nullopt where a row
// group has none, of floats and of strings. May throw what Parquet throws.
std::optional<ValueBounds> parquet_value_bounds(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column, RowRange rows);

// The smallest and the largest value of a column chunk.
struct ExactExtremes {
  OrderedValue lowest, highest;
};
// Returns those that the footer states, where they are values and not mere bounds. May throw what
// Parquet throws.
std::optional<ExactExtremes> exact_extremes(const ParquetFile& file, int row_group,
                                            const ParquetColumn& column);

// Reads columns, and compares their statistics, page indices and bloom filters with the values.
// Code::corrupt where they differ, with column, row group and row.
Status check_parquet_statistics(std::shared_ptr<const ParquetFile> file,
                                std::span<const std::uint32_t> columns);

}  // namespace penstock::io
