// A range of a source's rows as a source of its own.
#pragma once
#include <memory>

#include "penstock/skipping.hpp"

namespace penstock::plan {

// If a source has row groups, a range begins and ends with one; otherwise at a multiple of 64 rows.
// A source that cannot skip rows reads and drops the ones before the range.
std::shared_ptr<TableSource> row_range_source(std::shared_ptr<TableSource> source, RowRange rows);

}  // namespace penstock::plan
