// Whether the system gives this process's container less of the processors than it shows of them.
#pragma once
#include <string_view>

namespace penstock {

// Returns whether `cpu.max` of a control group of Linux, version 2, has a quota: "400000 100000"
// has one, "max 100000" has none.
bool is_quota(std::string_view cpu_max);
// Of this process's control group, as its container sees it; false where none can be read. Read
// once. A thread that waits awake uses up the quota that others need.
bool has_processor_quota();

}  // namespace penstock
