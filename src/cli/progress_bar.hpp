// The progress bar of a running query, on stderr when that is a terminal; erased when it ends.
#pragma once
#include <chrono>

#include "penstock/plan.hpp"

namespace penstock::cli {

class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { erase(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_, visible_ = false;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

}  // namespace penstock::cli
