// Detects whether this process's container may use less CPU time than the processors it sees.
#pragma once
#include <string_view>

namespace penstock {

// Returns whether `cpu.max` of a control group of Linux, version 2, has a quota: "400000 100000"
// has one, "max 100000" has none.
bool is_quota(std::string_view cpu_max);
// Returns whether this process's control group, as its container sees it, has a quota; false if
// none can be read. The file is read once. A spinning thread uses up quota that other threads need.
bool has_processor_quota();

}  // namespace penstock
