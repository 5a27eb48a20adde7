// Puts row groups together into batches, which are read, uploaded and decoded as one.
#pragma once
#include <span>
#include <vector>

#include "codec/pages/paged_table.hpp"

namespace penstock::pages {

struct RowGroupBatch {
  std::vector<std::uint32_t> row_groups;  // ascending, each with rows
  std::uint64_t row_count = 0;
  std::uint64_t stored_bytes = 0, page_bytes = 0;  // of all columns read, by the footer
  // The columns to read, as ascending places among the stream's columns; none: all.
  std::vector<std::size_t> places = {};

  friend bool operator==(const RowGroupBatch&, const RowGroupBatch&) = default;
};

// A batch has at least one row group, whatever its size.
struct BatchLimits {
  std::uint64_t stored_bytes = 256 << 20;
  std::uint64_t page_bytes = std::uint64_t{3} << 30;  // after decompression
  std::uint64_t rows = INT32_MAX;

  friend bool operator==(const BatchLimits&, const BatchLimits&) = default;
};

// Returns batches of the given row groups, in their order, without empty row groups. A batch ends
// where the compression of a column changes.
std::vector<RowGroupBatch> plan_batches(const PagedTable& table,
                                        std::span<const std::uint32_t> columns,
                                        std::span<const std::uint32_t> row_groups,
                                        const BatchLimits& limits = {});

}  // namespace penstock::pages
