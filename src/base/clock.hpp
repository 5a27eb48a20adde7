// Wall time for reports.
#pragma once
#include <chrono>

namespace penstock {

// Returns seconds of a monotonic clock.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace penstock
