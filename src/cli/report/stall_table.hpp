// The stall reasons of a run's kernels.
#pragma once
#include "cli/report/profile_table.hpp"

namespace penstock::cli {

// Returns the sections "sampling" (count and period), "stalls" (samples by kernel and reason, most
// first) and "stall_lines" (the source lines with most samples, each with its commonest reason). A
// kernel is the number of its row in "kernels".
std::vector<ProfileSection> stall_sections(const RunReport& report);

}  // namespace penstock::cli
