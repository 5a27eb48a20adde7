// Time as reports tell it.
#pragma once
#include <chrono>

namespace penstock {

// Since some moment; never goes back.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace penstock
