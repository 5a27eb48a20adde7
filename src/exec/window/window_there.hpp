// Windows over rows in device memory, which stay there with the results: in the order of the
// partition and of the keys.
#pragma once
#include <optional>

#include "penstock/report.hpp"
#include "penstock/steps.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// Returns whether a step's calls can be computed there, over columns of these types.
bool takes_window_there(const Traits& traits, const Schema& input, const Window& window);
// Returns the rows with a column for each call. Nothing if memory is too small. `rows` has a column
// for each one of the input; one without values stays so. `strings` has the codes.
Result<std::optional<DeviceRows>> window_there(const std::shared_ptr<Device>& device,
                                               const DeviceRows& rows, const Step& step,
                                               const StringPool& strings,
                                               std::uint64_t memory_limit_bytes, RunReport& report);

}  // namespace penstock::plan
