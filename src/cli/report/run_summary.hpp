// What a query says about its run on stderr: always the device, what it read and how fast; with
// --stats every kernel.
#pragma once
#include <optional>
#include <string>

#include "penstock/plan.hpp"
#include "terminal/bandwidth_record.hpp"

namespace penstock::cli {

// Whether the kernels ran long enough for their GB/s, and its share of the copy bandwidth, to be
// told.
bool tells_kernel_rate(const RunReport& report);
// One line: device, rows, time, kernel time, cache; and where the run was long enough for rates to
// mean something, rows/s, GB/s of column bytes and the share of the copy bandwidth.
std::string summary_line(const RunReport& report, const std::optional<MeasuredBandwidth>& copy);
// A line a kernel and one for the run's phases.
std::string statistics_text(const RunReport& report);

}  // namespace penstock::cli
