// Some row groups of a paged table.
#pragma once
#include "codec/pages/paged_table.hpp"
#include "penstock/skipping.hpp"

namespace penstock::pages {

// Returns a table of those row groups of `table` that have rows in one of the ranges, which are
// ascending. Chunks keep their row group's number in `table`, for messages.
std::shared_ptr<const PagedTable> selected_pages(std::shared_ptr<const PagedTable> table,
                                                 std::span<const RowRange> ranges);

}  // namespace penstock::pages
