// A source without the rows that a condition does not need.
#pragma once
#include <memory>

#include "penstock/skipping.hpp"

namespace penstock::plan {

// `rows`: as returned by select_rows() of the source.
std::shared_ptr<TableSource> selected_source(std::shared_ptr<TableSource> source,
                                             RowSelection rows);
// Returns the skipped rows of a source if kernels read its pages: they read whole row groups.
SkipCounts counted_by_groups(const RowSelection& rows, const TableSource& source);

}  // namespace penstock::plan
