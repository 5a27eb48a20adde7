// Windows: functions over the rows of a partition in its order, beside each row.
//
// Rows are numbered in the order of partition and keys; running sums, ranks and the places of other
// rows are found there, and what stands at the end of a row's frame is written beside the row where
// it was. What takes a value from a row (min, max, first_value, lag) finds the row's number and
// gathers.
#pragma once
#include <memory>

#include "penstock/plan.hpp"

namespace penstock::plan {

// Who computes the calls that a device can: `chosen` is the device where it finds the order,
// `device` is the device however few rows there are. On two cores, 4 million rows, a step takes the
// device's sums 0.26 to 0.69 s and the host's 0.33 to 1.01.
enum class WindowPlace : unsigned char { chosen, device, host };

// The table with a column for each call. `device` may be null where none is needed, see
// sorts_on_device(); `report` gets its part, or a note where its memory (of which
// `memory_limit_bytes` may be used, 0: all) is too small and the host computes what was `chosen`
// for it.
Result<Table> window_rows(const std::shared_ptr<Device>& device, const Table& table,
                          const Step& step, RunReport& report,
                          WindowPlace place = WindowPlace::chosen,
                          std::uint64_t memory_limit_bytes = 0);

}  // namespace penstock::plan
