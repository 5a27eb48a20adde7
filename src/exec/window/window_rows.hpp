// Windows: functions over the rows of a partition in its order. Their results come beside each row.
//
// Rows are numbered in the order of partition and keys. Prefix sums, ranks and the positions of
// other rows are found in that order. The value at the end of a row's frame is written beside the
// row, in the rows' first order. Functions that take a value from a row (min, max, first_value,
// lag) find the row's number and gather.
#pragma once
#include <memory>

#include "penstock/run.hpp"

namespace penstock::plan {

// The device or the host computes the calls that a device can compute. `automatic` is the device
// where it finds the order; `device` is the device however few rows there are. On two cores, 4
// million rows, a step takes the device's sums 0.26 to 0.69 s and the host's 0.33 to 1.01.
enum class WindowLocation : unsigned char { automatic, device, host };

// Returns the table with a column for each call. `device` may be null where none is needed, see
// sorts_on_device(). `report` gets the device's part; or a note, where its memory (of which
// `memory_limit_bytes` may be used, 0: all) is too small and the host computes what was left
// `automatic` for it.
Result<Table> window_rows(const std::shared_ptr<Device>& device, const Table& table,
                          const Step& step, RunReport& report,
                          WindowLocation position = WindowLocation::automatic,
                          std::uint64_t memory_limit_bytes = 0);

}  // namespace penstock::plan
