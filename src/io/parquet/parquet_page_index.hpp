// The page index of a column chunk: where its data pages begin, and the bounds of each.
//
// https://github.com/apache/parquet-format/blob/master/PageIndex.md
#pragma once
#include "io/parquet/parquet_bounds.hpp"
#include "io/parquet/row_ranges.hpp"

namespace penstock::io {

// The first row of each data page in the row group, and the row group's end.
using PageStarts = std::vector<std::uint64_t>;

// Both are nullopt if the file has no index of the chunk, or if the index is damaged or contradicts
// the footer: no page is left out then.
std::optional<PageStarts> page_starts(const ParquetFile& file, int row_group, int leaf);
struct PageBounds {
  PageStarts starts;
  std::vector<Bounds> bounds;  // of each page
};
std::optional<PageBounds> page_bounds(const ParquetFile& file, int row_group,
                                      const ParquetColumn& column);

}  // namespace penstock::io
