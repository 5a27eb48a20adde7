// Some row groups of a paged table.
#pragma once
#include "codec/pages/page_batches.hpp"
#include "penstock/skipping.hpp"

namespace penstock::pages {

// Returns the row groups that have rows in one of the ranges, which are ascending.
std::vector<std::uint32_t> groups_with_rows(const PagedTable& table,
                                            std::span<const RowRange> ranges);
std::vector<std::uint32_t> all_groups(const PagedTable& table);

// Returns a batch of those row groups of `batch`, of its columns, that are among `groups`, which
// are ascending; without row groups where none is.
RowGroupBatch part_of(const PagedTable& table, std::span<const std::uint32_t> columns,
                      const RowGroupBatch& batch, std::span<const std::uint32_t> groups);

}  // namespace penstock::pages
