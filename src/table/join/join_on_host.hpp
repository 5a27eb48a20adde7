// Joins on the host, for right sides in which keys repeat: a left row becomes as many rows as it
// finds, which a kernel's lookup cannot yield. device_pairs.hpp does so on a device.
#pragma once
#include "penstock/steps.hpp"
#include "table/join/build_side.hpp"

namespace penstock::plan {

// Joins rows on the host, in the order of the left rows, then of the right ones. Only the columns
// in `wanted` (empty: all) get values.
Result<Table> join_on_host(const Step& step, const Table& left, const BuildSide& right,
                           StringPool& strings, const Columns& wanted);

}  // namespace penstock::plan
