// A source without the rows that a condition does not need.
#pragma once
#include <memory>

#include "penstock/skipping.hpp"

namespace penstock::plan {

// `rows` are what select_rows() of the source returned.
std::shared_ptr<TableSource> selected_source(std::shared_ptr<TableSource> source,
                                             RowSelection rows);
// Returns what is left out of a source where kernels read its pages: they read whole row groups.
SkipCounts counted_by_groups(const RowSelection& rows, const TableSource& source);

}  // namespace penstock::plan
