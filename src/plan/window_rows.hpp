// Windows: functions over the rows of a partition in its order, beside each row.
//
// Rows are numbered in the order of partition and keys; running sums, ranks and the places of other rows are found there, and what
// stands at the end of a row's frame is written beside the row where it was. What takes a value from a row (min, max, first_value, lag)
// finds the row's number and gathers.
#pragma once
#include <memory>

#include "penstock/plan.hpp"

namespace penstock::plan {

// The table with a column for each call. `device` finds the order of many rows, see sorts_on_device().
Result<Table> window_rows(const std::shared_ptr<Device>& device, const Table& table, const Step& step, RunReport& report);

}  // namespace penstock::plan
