// The report of a query on stderr: device, rows and rates; with --stats every kernel.
#pragma once
#include <optional>
#include <string>

#include "penstock/run.hpp"
#include "terminal/bandwidth_record.hpp"

namespace penstock::cli {
using namespace terminal;

// Returns whether the kernels ran long enough to report GB/s and the share of the copy bandwidth.
bool has_kernel_rate(const RunReport& report);
// Returns one line: device, rows, time, kernel time, cache. Runs that are long enough for
// meaningful rates also have rows/s, GB/s of column bytes and the share of the copy bandwidth.
std::string summary_line(const RunReport& report, const std::optional<MeasuredBandwidth>& copy);
// Returns a line for each share of a run on several devices, and one of what was merged.
std::string shares_text(const RunReport& report);
// Returns a line for the run's phases and one for each kernel.
std::string statistics_text(const RunReport& report);

}  // namespace penstock::cli
