// Joins whose right side has rows of equal keys: a left row becomes as many as it finds, which is
// not a kernel's lookup.
#pragma once
#include "plan/fusion/columns_read.hpp"
#include "plan/join/build_side.hpp"

namespace penstock::plan {

// A join of rows on the host: in the order of the left rows, then of the right ones. Only the
// columns in `wanted` (empty: all) get values.
Result<Table> join_on_host(const Step& step, const Table& left, const BuildSide& right,
                           StringPool& strings, const Columns& wanted);

}  // namespace penstock::plan
