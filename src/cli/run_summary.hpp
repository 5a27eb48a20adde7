// What a query says about its run on stderr: always the device, what it read and how fast; with --stats every kernel.
#pragma once
#include <optional>
#include <string>

#include "cli/bandwidth_record.hpp"
#include "penstock/plan.hpp"

namespace penstock::cli {

// One line: device, rows, rows/s, GB/s of column bytes, kernel time, share of the copy bandwidth, cache.
std::string summary_line(const RunReport& report, const std::optional<MeasuredBandwidth>& copy);
// A line a kernel and one for the run's phases.
std::string statistics_text(const RunReport& report);

}  // namespace penstock::cli
