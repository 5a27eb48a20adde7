// What the kernels of a run waited for.
#pragma once
#include "cli/report/profile_table.hpp"

namespace penstock::cli {

// "sampling": how many and how often. "stalls": samples by kernel and reason, most first.
// "stall_lines": the lines of the kernels' texts with most samples, each with its commonest reason.
// A kernel is the row of "kernels" that it belongs to.
std::vector<ProfileSection> stall_sections(const RunReport& report);

}  // namespace penstock::cli
